import { MessageChannel } from "node:worker_threads";
import { expect, it, onTestFinished } from "vitest";
import { createEmbeddedEngine } from "../../src/hosting/embedded/create-embedded-engine.js";
import type { ThreadJob } from "../../src/hosting/embedded/deployment-thread.js";
import type { HostedBuild } from "../../src/hosting/engine.js";
import { Nodes } from "../../src/rpc/nodes.js";
import { NodesOverPort } from "../../src/rpc/nodes-over-port.js";
import { SQL } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { DatabaseTurns } from "../../src/store/database/port/database-turns.js";
import { openOverPort } from "../../src/store/database/port/open-over-port.js";
import { serveDatabase } from "../../src/store/database/port/serve-database.js";
import { ReadBuild } from "../../src/subgraph/runnable/read-build.js";
import { sampleBuild } from "../subgraph/sample-build.js";
import { onPglite, world } from "../support/database/databases.js";

/** Twenty deployments of one project, and one of another. */
const deployments = [
  ...Array.from({ length: 20 }, (_, index) => ({ project: "many", deployment: `QmMany${index}` })),
  { project: "one", deployment: "QmOne" },
];
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("All deployments of a project together have as many turns with the nodes as the only one of another.", async () => {
  const database = await onPglite().fresh();
  await migrate(database);
  /** The project of each request, in the order in which the node gets them. */
  const sent: string[] = [];
  const waiting: (() => void)[] = [];
  const played = {
    ...world,
    fetch: async (_: string, { body }: RequestInit) => {
      const { id, params } = JSON.parse(String(body));
      const project = /^(\w+) /.exec(params?.[0])?.[1];
      if (project) {
        sent.push(project);
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return Response.json({ jsonrpc: "2.0", id, result: "0x1" });
    },
  };
  const nodes = new Nodes(new Map([["mainnet", ["http://node.test"]]]), played);
  const jobs: ThreadJob[] = [];
  const engine = createEmbeddedEngine({
    database,
    world: played,
    nodes,
    startThread: (job) => {
      jobs.push(job);
      return { ended: new Promise(() => undefined), stop: async () => undefined, check: () => undefined };
    },
  });
  const leaving = new AbortController();
  onTestFinished(async () => {
    leaving.abort();
    await engine.close();
    await nodes.close();
  });
  const unused = (): never => {
    throw new Error("no thread needs it");
  };
  const read = async (): Promise<ReadBuild> => new ReadBuild(sampleBuild());
  for (const one of deployments) {
    const build: HostedBuild = { ...one, network: "mainnet", read, mayRead: unused, keepPaused: unused };
    await engine.start(build);
  }
  for (const [index, job] of jobs.entries()) {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    job.serveNodes(port1);
    const { fetch } = new NodesOverPort(port2, AbortSignal.any([leaving.signal]));
    for (let turn = 0; turn < 40; turn += 1) {
      const params = [`${deployments[index]?.project} ${job.deployment} ${turn}`];
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params });
      fetch("", { method: "POST", body }).catch(() => undefined);
    }
  }
  while (sent.length < 60) {
    for (const answer of waiting.splice(0)) answer();
    await settled();
  }
  const ofOne = sent.slice(0, 60).filter((project) => project === "one").length;
  // The first requests are sent before the others have arrived.
  expect(ofOne).toBeGreaterThanOrEqual(22);
});

it("All deployments of a project together have as many turns with the database as the only one of another.", async () => {
  const database = await onPglite().fresh();
  const turns = new DatabaseTurns();
  const answers = new Map<string, number>();
  let isOver = false;
  const work = deployments.map(async ({ project, deployment }) => {
    const { port1, port2 } = new MessageChannel();
    serveDatabase(database, port1, turns.of(project, deployment));
    const served = openOverPort(port2, "pglite");
    while (!isOver) {
      await served.query(SQL`select count(*) as n from generate_series(1, 10000)`);
      answers.set(deployment, (answers.get(deployment) ?? 0) + 1);
      if (deployment === "QmOne" && answers.get(deployment) === 60) isOver = true;
    }
    await served.close();
  });
  await Promise.all(work);
  const ofMany = deployments.slice(0, -1).map(({ deployment }) => answers.get(deployment) ?? 0);
  // Each of the many had its last answer after the end.
  const all = ofMany.reduce((sum, count) => sum + count - 1, 0);
  expect(all).toBeLessThanOrEqual(80);
  // Among themselves they take turns as well.
  expect(Math.max(...ofMany) - Math.min(...ofMany)).toBeLessThanOrEqual(1);
});
