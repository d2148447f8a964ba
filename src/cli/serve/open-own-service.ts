import { createHmac } from "node:crypto";
import { reportFailure } from "../../base/failures.js";
import { foreignText } from "../../base/foreign-text.js";
import { guarded } from "../../base/guarded.js";
import type { NodeFailure } from "../../base/meters.js";
import { dataChainOfName } from "../../data/chains/data-chain.js";
import { indexActivity } from "../../data/markets/index-activity.js";
import { createProjectMarkets } from "../../data/markets/project-markets.js";
import { anyNode } from "../../data/nodes/any-node.js";
import type { DataNode } from "../../data/nodes/data-node.js";
import { createPriceKeeper, type PriceKeeper } from "../../data/prices/price-keeper.js";
import type { DataStore } from "../../data/reads/data-reads.js";
import { createPostgresStore } from "../../data/reads/postgres-store.js";
import { createDataService } from "../../data/service/data-service.js";
import { createNodeWorld } from "../../node/world.js";
import type { OwnDataService } from "../../platform/platform.js";
import { readableBuildsOf } from "../../platform/subgraphs/named-builds.js";
import type { Database } from "../../store/database/database.js";
import { parseAddress } from "../../web/http/address.js";
import { createOutgoing } from "../../web/outgoing/outgoing.js";
import { openDataNode } from "../reader/open-data-node.js";
import { openPriceFeed } from "../reader/open-price-feed.js";

/** Milliseconds that the database may take for a statement. */
export const timeLimit = 10_000;

/** What a data service of a server may have besides. */
export interface OwnServiceOptions {
  /** Where blocks and transfers are; by default, in the database of the server. */
  readonly store?: DataStore | undefined;
  /** The address of a source of prices that the tables lack; none by default. */
  readonly prices?: string | undefined;
  /** Told, in a sentence, of what fails, makes answers slower, or leaves prices out. */
  warn?(sentence: string): void;
}

/**
 * The data service of a server, over the tables in its database and the entities of its subgraphs.
 * @param secretKey servers with the same one recognise each other's cursors
 * @param nodes addresses by network, for balances; the next one is asked where one does not answer
 * @param signal ends what it asks nodes and the source of prices
 */
export function openOwnService(
  database: Database,
  secretKey: Uint8Array,
  nodes: ReadonlyMap<string, readonly string[]>,
  signal: AbortSignal,
  {
    store = createPostgresStore(database, timeLimit),
    prices,
    warn = () => undefined,
  }: OwnServiceOptions = {},
): OwnDataService {
  const key = createHmac("sha256", secretKey).update("data service").digest("base64url");
  const ofChains = [...nodes].flatMap(([network, urls]) => {
    const chain = dataChainOfName(network);
    return chain && urls.length > 0 ? [{ network, name: chain.name, urls }] : [];
  });
  const { now } = createNodeWorld();
  const open = (url: string): DataNode => openDataNode(url, signal);
  const failures = new Map<string, NodeFailure>();
  const nodeOf = (network: string, urls: readonly string[]): DataNode =>
    anyNode(urls.map(open), now, (index, { message }) => {
      const origin = parseAddress(urls[index] ?? "")?.origin ?? "";
      failures.set(`${network} ${origin}`, { at: now(), why: foreignText(message) });
    });
  const service = createDataService({
    ...{ store, key, now },
    nodes: new Map(ofChains.map(({ network, name, urls }) => [name, nodeOf(network, urls)])),
    priceKeeper: prices === undefined ? undefined : openKeeper(prices, database, signal, warn),
    onFailure: (code, reason) => warn(`The data service has answered ${code}: ${reason}`),
  });
  const marketOf = createProjectMarkets(database, {
    ...{ builds: readableBuildsOf, limit: timeLimit },
    onFound: (deployment) => {
      indexActivity(database, deployment).catch((error: Error) =>
        warn(
          `The index on the activity of market ${deployment.deployment} could not be created: ${error.message}.`,
        ),
      );
    },
  });
  return {
    ...{ service, key, networks: ofChains.map(({ network }) => network), marketOf },
    nodeFailure: (network, node) => failures.get(`${network} ${node}`),
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
