import { createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import { reportFailure } from "../../base/failures.js";
import type { NodeFailure } from "../../base/meters.js";
import { foreignText } from "../../base/text/foreign-text.js";
import { guarded } from "../../base/turns/guarded.js";
import { dataChainOfName } from "../../data/chains/data-chain.js";
import { indexActivity } from "../../data/markets/index-activity.js";
import { createProjectMarkets } from "../../data/markets/project-markets.js";
import { anyNode, NodeMemory } from "../../data/nodes/any-node.js";
import type { DataNode } from "../../data/nodes/data-node.js";
import { createPriceKeeper, type PriceKeeper } from "../../data/prices/price-keeper.js";
import type { DataStore } from "../../data/reads/data-reads.js";
import { createPostgresStore } from "../../data/reads/postgres-store.js";
import { createDataService } from "../../data/service/data-service.js";
import { createNodeWorld } from "../../machine/world.js";
import type { OwnDataService } from "../../platform/platform.js";
import { readableBuildsOf } from "../../platform/subgraphs/named-builds.js";
import type { Nodes } from "../../rpc/nodes.js";
import type { Database } from "../../store/database/database.js";
import { createOutgoing } from "../../web/outgoing/outgoing.js";
import { openSharedNode } from "../reader/open-data-node.js";
import { openPriceFeed } from "../reader/open-price-feed.js";

/** Milliseconds that the database may take for a statement. */
export const timeLimit = 10_000;

/** Optional features of a server's data service. */
export interface OwnServiceOptions {
  /** Where blocks and transfers are; by default, in the database of the server. */
  readonly store?: DataStore | undefined;
  /** The address of a source of prices that the tables lack; none by default. */
  readonly prices?: string | undefined;
  /** Receives a sentence about every failure, slowdown and missing price. */
  warn?(sentence: string): void;
}

/**
 * The data service of a server, over the tables in its database and the entities of its subgraphs.
 * @param secretKey servers with the same key accept each other's cursors
 * @param nodes the server's nodes, for balances; if one does not answer, the next one is used
 * @param signal ends requests to nodes and to the source of prices
 */
export function openOwnService(
  database: Database,
  secretKey: Uint8Array,
  nodes: Nodes,
  signal: AbortSignal,
  {
    store = createPostgresStore(database, timeLimit),
    prices,
    warn = () => undefined,
  }: OwnServiceOptions = {},
): OwnDataService {
  const key = createHmac("sha256", secretKey).update("data service").digest("base64url");
  const { now } = createNodeWorld();
  const failures = new Map<string, NodeFailure>();
  const ofChains = new Map(
    nodes.networks.flatMap((network) => {
      const chain = dataChainOfName(network);
      const { names = [] } = nodes.of(network) ?? {};
      if (!chain || names.length === 0) return [];
      const onFailure = (place: number, why: string): void => {
        failures.set(`${network} ${names[place]}`, { at: now(), why: foreignText(why) });
      };
      return [
        [
          chain.name,
          { network, nodeOf: sharedNodes(nodes, network, { names, now, signal, onFailure }) },
        ] as const,
      ];
    }),
  );
  const service = createDataService({
    store,
    key,
    now,
    nodes: {
      has: (chain) => ofChains.has(chain),
      get: (chain, project = "") => ofChains.get(chain)?.nodeOf(project),
    },
    priceKeeper: prices === undefined ? undefined : openKeeper(prices, database, signal, warn),
    onFailure: (code, reason) => warn(`The data service has answered ${code}: ${reason}`),
  });
  const marketOf = createProjectMarkets(database, {
    builds: readableBuildsOf,
    limit: timeLimit,
    onFound: (deployment) => {
      indexActivity(database, deployment).catch((error: Error) =>
        warn(
          `The index on the activity of market ${deployment.deployment} could not be created: ${error.message}.`,
        ),
      );
    },
  });
  return {
    service,
    key,
    networks: [...ofChains.values()].map(({ network }) => network),
    marketOf,
    nodeFailure: (network, node) => failures.get(`${network} ${node}`),
  };
}

/** Options for requests to a chain's nodes through the server's own. */
interface SharedNodesOptions {
  /** The names of the nodes in messages. */
  readonly names: readonly string[];
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly onFailure: (place: number, why: string) => void;
}

/** Milliseconds. Clients cannot reject an answer, so a wrong one must expire soon. */
const longestKept = 60_000;
/** The most projects whose node clients are kept. */
const mostProjects = 1_000;

/** The nodes of a chain for each project: all take turns under the budget of the server. */
function sharedNodes(
  nodes: Nodes,
  network: string,
  { names, now, signal, onFailure }: SharedNodesOptions,
): (project: string) => DataNode {
  const memory = new NodeMemory();
  const kept = new LRUCache<string, DataNode>({ max: mostProjects });
  const open = (project: string): DataNode => {
    const asker = { kind: "data", project, name: "", longestKept } as const;
    const ofPlaces = names.map((name, place) =>
      openSharedNode(name, nodes.fetchFrom(network, asker, place), signal),
    );
    return anyNode(ofPlaces, now, (place, { message }) => onFailure(place, message), memory);
  };
  return (project) => {
    const node = kept.get(project) ?? open(project);
    kept.set(project, node);
    return node;
  };
}

function openKeeper(
  template: string,
  database: Database,
  signal: AbortSignal,
  warn: (sentence: string) => void,
): PriceKeeper {
  // The operator names the source, which may be in their own network.
  const outgoing = createOutgoing({ allowsPrivate: true }, createNodeWorld());
  const close = guarded(() => outgoing.close(), reportFailure);
  signal.addEventListener("abort", close, { once: true });
  return createPriceKeeper({
    database,
    feed: openPriceFeed(template, outgoing),
    onFailure: (chain, reason) => warn(`Prices of ${chain} could not be fetched. ${reason}`),
  });
}
