import { foreignText } from "../../../base/foreign-text.js";
import type { World } from "../../../base/world.js";
import { createGraphNodeAdmin } from "../../../deploy/graph-node/admin.js";
import { createGraphNodeStatus, type IndexingStatus } from "../../../deploy/graph-node/status.js";
import { uploadBuild } from "../../../deploy/graph-node/upload-build.js";
import { createIpfsClient } from "../../../deploy/ipfs/ipfs-client.js";
import { checkFileSize } from "../../../deploy/ipfs/largest-file.js";
import { collectBuild } from "../../../subgraph/collect-build.js";
import { type LinkedBuild, linkBuild } from "../../../subgraph/deployment/link-build.js";
import type { SendOptions } from "../../../web/http/send.js";
import type { Engine, HostedBuild, HostedChange, HostedStatus } from "../engine.js";
import { createQueryForwarder } from "./forward-query.js";
import type { GraphNodeTables } from "./graph-node-tables.js";
import { SeenLog } from "./seen-log.js";

/** Where a graph-node can be spoken to. */
export interface GraphNodeEngineAddresses {
  /** `http://localhost:8020` */
  readonly admin: string;
  /** `http://localhost:8030/graphql` */
  readonly status: string;
  /** `http://localhost:8000` */
  readonly query: string;
  /** `http://localhost:5001`, with or without `/api/v0`. */
  readonly ipfs: string;
}

/** Milliseconds between two looks at how far deployments are. */
const lookInterval = 2_000;

/**
 * A graph-node, or a cluster of them, that indexes and answers. What it is asked for is done when it says so; what it
 * refuses is in the status of the deployment.
 * @param tables its database, when it can be read
 * @throws GraphNodeError or IpfsError when an address is no web URL
 */
export function createGraphNodeEngine(
  addresses: GraphNodeEngineAddresses,
  world: World,
  { tables, ...options }: SendOptions & { readonly tables?: GraphNodeTables } = {},
): Engine {
  const admin = createGraphNodeAdmin(addresses.admin, world, options);
  const status = createGraphNodeStatus(addresses.status, world, options);
  const ipfs = createIpfsClient(addresses.ipfs, world, options);
  const forward = createQueryForwarder(addresses.query, world, options);
  const log = new SeenLog(world);
  /** What was asked for last, by deployment. */
  const wanted = new Map<string, "started" | "paused">();
  const hearers = new Set<(change: HostedChange) => void>();
  const watch = createWatch(() => look(), world);

  async function look(): Promise<void> {
    for (const found of await status.ofDeployments([...wanted.keys()])) {
      if (!log.see(found)) continue;
      const change = {
        deployment: found.deploymentId,
        ...(found.block !== undefined && { headBlock: found.block }),
      };
      for (const hear of hearers) hear(change);
    }
  }

  async function linked(build: HostedBuild): Promise<LinkedBuild> {
    return linkBuild(collectBuild(await build.files()));
  }

  return {
    name: "graph-node",
    networks: [],
    takesAny: true,
    async check(build) {
      const { files } = await linked(build);
      for (const { path, bytes } of files) checkFileSize(path, bytes.length);
    },
    async start(build) {
      const { deployment } = build;
      if (wanted.get(deployment) === "started") return;
      const [known] = await status.ofDeployments([deployment]);
      try {
        if (!known) {
          await uploadBuild(await linked(build), ipfs, () => undefined);
          await admin.create(nameOf(deployment));
          await admin.deploy(nameOf(deployment), deployment);
          log.add(deployment, "info", `deployed to graph-node at ${admin.origin}`);
        } else if (known.paused) {
          await admin.resume(deployment);
        }
        wanted.set(deployment, "started");
        log.forgive(deployment);
      } catch (error) {
        log.refuse(deployment, error instanceof Error ? error.message : String(error));
        throw error;
      }
    },
    async pause(deployment) {
      if (wanted.get(deployment) === "paused") return;
      const [known] = await status.ofDeployments([deployment]);
      if (known) await admin.pause(deployment);
      wanted.set(deployment, "paused");
      log.add(deployment, "info", "paused");
    },
    async remove(deployment) {
      await admin.remove(nameOf(deployment));
      wanted.delete(deployment);
      log.drop(deployment);
    },
    async status(deployments) {
      const found = await status.ofDeployments(deployments);
      const all = new Map(found.map((one) => [one.deploymentId, hostedStatus(one)]));
      for (const deployment of deployments) {
        const refusal = log.refusalOf(deployment);
        if (!all.has(deployment) && refusal !== undefined) all.set(deployment, refused(refusal));
      }
      return all;
    },
    logs: async (deployment, query) => log.page(deployment, query),
    answer: forward,
    storage: async (deployment) => tables?.storage(deployment),
    onChange(hear) {
      hearers.add(hear);
      watch.start();
      return () => {
        hearers.delete(hear);
        if (hearers.size === 0) watch.stop();
      };
    },
    async close() {
      watch.stop();
      await tables?.close();
    },
  };
}

/** The name that a deployment has at the graph-node: nobody else's, and the same after a restart. */
function nameOf(deployment: string): string {
  return `graphloom/${deployment}`;
}

function hostedStatus(found: IndexingStatus): HostedStatus {
  const { health, synced, block, head, earliestBlock = 0, fatalError, failedHandler, nonFatalErrors } = found;
  return {
    health,
    isSynced: synced,
    startBlock: earliestBlock,
    nonFatalErrors: nonFatalErrors.map(({ message, ...rest }) => ({
      message: foreignText(message),
      ...rest,
    })),
    ...(block !== undefined && { headBlock: block }),
    ...(head !== undefined && { chainHeadBlock: head }),
    ...(fatalError !== undefined && {
      fatalError: {
        message: foreignText(fatalError),
        ...(failedHandler !== undefined && { handler: foreignText(failedHandler) }),
      },
    }),
  };
}

/** A build that graph-node has not taken. */
function refused(message: string): HostedStatus {
  return { health: "failed", isSynced: false, startBlock: 0, nonFatalErrors: [], fatalError: { message } };
}

/** Does something again and again until it is stopped; a failure is for the next round. */
function createWatch(look: () => Promise<void>, world: World): { start(): void; stop(): void } {
  let isOn = false;
  const run = async (): Promise<void> => {
    while (isOn) {
      // graph-node is away: whoever asks for a status is told.
      await look().catch(() => undefined);
      await world.sleep(lookInterval).catch(() => undefined);
    }
  };
  return {
    start() {
      if (isOn) return;
      isOn = true;
      void run();
    },
    stop() {
      isOn = false;
    },
  };
}
