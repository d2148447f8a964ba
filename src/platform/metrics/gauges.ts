import { Gauge, type Registry } from "prom-client";
import { lagOf, measure } from "../figures/figure.js";
import { restsNow } from "../subgraphs/rests-now.js";
import type { MetricsView } from "./metrics-view.js";
import { createPipelineGauges } from "./pipeline-gauges.js";
import type { DeploymentReading, Reading } from "./read-server.js";

/** The gauges that are read on request. */
export interface Gauges {
  /** Sets the values from a reading. It names deployments only if the view allows that. */
  set(reading: Reading, view: MetricsView): void;
}

const healths = ["healthy", "unhealthy", "failed", "unknown"] as const;

/** Creates the gauges of a server, without values. */
export function createGauges(registry: Registry): Gauges {
  const all: Gauge[] = [];
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge => {
    const made = new Gauge({ name: `graphloom_${name}`, help, labelNames, registers: [registry] });
    all.push(made);
    return made;
  };
  const ofDeployment = ["deployment", "name", "network"];
  const databaseUp = gauge("database_up", "Whether the database answers.");
  const engineUp = gauge("engine_up", "Whether an engine reports the state of its deployments.", ["engine"]);
  const engineTrouble = gauge(
    "engine_address_wrong",
    "Engine addresses that are wrong; the log has the details.",
    ["engine", "address"],
  );
  const nodeUp = gauge("node_up", "Whether a network's node answers and its chain advances.", ["network"]);
  const nodeHead = gauge("node_head_block", "The chain head, as last seen.", ["network"]);
  const nodeHeadAge = gauge(
    "node_head_age_seconds",
    "Seconds since the chain head was last seen to advance.",
    ["network"],
  );
  const troubleSince = gauge(
    "node_trouble_since_timestamp_seconds",
    "When a network's node went down or got stuck; absent while the node is healthy.",
    ["network", "state"],
  );
  const deployments = gauge("deployments", "Deployments, by health and by whether they are paused.", [
    "health",
    "paused",
  ]);
  const headBlock = gauge("deployment_head_block", "The last indexed block.", ofDeployment);
  const chainHead = gauge(
    "deployment_chain_head_block",
    "The chain head of the deployment's network.",
    ofDeployment,
  );
  const lag = gauge(
    "deployment_lag_blocks",
    "Blocks between the last indexed block and the chain head.",
    ofDeployment,
  );
  const lagSeconds = gauge(
    "deployment_lag_seconds",
    "Seconds between the last indexed block and the chain head.",
    ofDeployment,
  );
  const isSynced = gauge(
    "deployment_synced",
    "Whether the deployment has ever reached the chain head.",
    ofDeployment,
  );
  const hasFailed = gauge(
    "deployment_failed",
    "Whether the deployment has failed and cannot continue.",
    ofDeployment,
  );
  const waitsSince = gauge(
    "deployment_waiting_since_timestamp_seconds",
    "Since when the deployment cannot continue, for example without a database; absent while it can.",
    ofDeployment,
  );
  const handlers = gauge(
    "deployment_handlers_per_second",
    "Handlers run per second, recently.",
    ofDeployment,
  );
  const outbox = gauge("webhook_outbox_events", "Webhook events that are not delivered yet.");
  const outboxAge = gauge(
    "webhook_outbox_oldest_seconds",
    "Age of the oldest undelivered webhook event; 0 if there are none.",
  );
  const connections = gauge("database_connections", "Connections in the database pool, by state.", ["state"]);
  const mostConnections = gauge(
    "database_connections_limit",
    "Maximum number of connections in the database pool.",
  );
  const waiting = gauge("database_waiting", "Callers waiting for a database connection.");
  const lockWaits = gauge("database_lock_waits", "Statements that have waited for a lock for over a second.");
  const lockSeconds = gauge(
    "database_lock_wait_seconds",
    "How long statements have waited for the lock of a table, the longest wait of each.",
    ["table", "holder"],
  );

  function setDeployment(reading: DeploymentReading, head: Parameters<typeof measure>[2]): void {
    const { deployment, name, isPaused, status } = reading;
    if (!status) return;
    const labels = { deployment, name, network: reading.network };
    const { headBlock: block, chainHeadBlock: chain, handlersPerSecond } = status;
    const [blocks, seconds] = [lagOf(status), measure(isPaused, status, head).lagSeconds];
    if (block !== undefined) headBlock.set(labels, block);
    if (chain !== undefined) chainHead.set(labels, chain);
    if (blocks !== undefined) lag.set(labels, blocks);
    if (seconds !== undefined) lagSeconds.set(labels, seconds);
    if (handlersPerSecond !== undefined) handlers.set(labels, handlersPerSecond);
    isSynced.set(labels, Number(status.isSynced));
    hasFailed.set(labels, Number(status.health === "failed"));
    if (status.waitsSince !== undefined) waitsSince.set(labels, status.waitsSince / 1000);
  }

  const memoryUsed = gauge("memory_used_bytes", "Memory that the server and its processes use.");
  const memoryLimit = gauge(
    "memory_limit_bytes",
    "Memory that they may use; near it, heavy work is refused.",
  );
  const setPipelines = createPipelineGauges(gauge);
  const free = gauge("database_free_bytes", "Free bytes on the disk that holds the database folder.");

  return {
    set({ at, database, engines, networks, deployments: read, outbox: events, pipelines, memory }, { kind }) {
      for (const each of all) {
        each.reset();
        // Otherwise a gauge without labels would report 0.
        each.remove({});
      }
      if (memory) {
        memoryUsed.set(memory.used);
        memoryLimit.set(memory.limit);
      }
      databaseUp.set(Number(database.isUp));
      for (const { network, isUp, head, headAt, state } of networks) {
        nodeUp.set({ network }, Number(isUp));
        if (head !== undefined) nodeHead.set({ network }, head);
        if (headAt !== undefined) nodeHeadAge.set({ network }, Math.max(0, (at - headAt) / 1000));
        if (state?.since !== undefined) troubleSince.set({ network, state: state.kind }, state.since / 1000);
      }
      for (const { name, isUp, troubles } of engines) {
        engineUp.set({ engine: name }, Number(isUp));
        for (const { address } of troubles) engineTrouble.set({ engine: name, address }, 1);
      }
      for (const health of healths) {
        for (const isPaused of [false, true]) {
          const such = read?.filter(
            (one) =>
              (one.status?.health ?? "unknown") === health && restsNow(one.isPaused, one.status) === isPaused,
          );
          if (such) deployments.set({ health, paused: isPaused ? "yes" : "no" }, such.length);
        }
      }
      const chains = new Map(networks.map((one) => [one.network, one]));
      if (kind !== "nameless") for (const each of read ?? []) setDeployment(each, chains.get(each.network));
      if (pipelines) setPipelines(pipelines, kind !== "nameless");
      if (database.freeBytes !== undefined) free.set(database.freeBytes);
      const { connections: pool, locks } = database;
      if (locks) lockWaits.set(locks.length);
      // Names of tables are names of users' entities.
      for (const { since, schema, table, holders } of (kind === "all" ? (locks ?? []) : []).toReversed()) {
        const labels = { table: table ? `${schema}.${table}` : "", holder: holders[0]?.pid ?? "" };
        lockSeconds.set(labels, Math.max(0, (at - since) / 1000));
      }
      if (pool) {
        connections.set({ state: "used" }, pool.used);
        connections.set({ state: "idle" }, pool.idle);
        mostConnections.set(pool.most);
        waiting.set(pool.waiting);
      }
      if (events) {
        outbox.set(events.events);
        outboxAge.set(events.age ?? 0);
      }
    },
  };
}
