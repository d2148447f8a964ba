import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { dataChainOfTables } from "../../data/chains/data-chain.js";
import { findMarket } from "../../data/markets/find-market.js";
import { indexActivity } from "../../data/markets/index-activity.js";
import type { Market } from "../../data/markets/market.js";
import { MarketError } from "../../data/markets/market-tables.js";
import { createPostgresMarket } from "../../data/markets/postgres-market.js";
import { anyNode } from "../../data/nodes/any-node.js";
import type { DataNode } from "../../data/nodes/data-node.js";
import { createPriceKeeper, type PriceKeeper } from "../../data/prices/price-keeper.js";
import type { DataStore } from "../../data/reads/data-reads.js";
import { createDataService } from "../../data/service/data-service.js";
import { createNodeWorld } from "../../machine/world.js";
import { type ServedData, serveData } from "../../platform/data/serve-data.js";
import { ListenError } from "../../platform/serve.js";
import type { Database } from "../../store/database/database.js";
import { isWebAddress } from "../../web/http/address.js";
import { createOutgoing, type Outgoing } from "../../web/outgoing/outgoing.js";
import { namesIn, type SubgraphArguments } from "../pipeline/sources/open-subgraphs.js";
import { reportMissingPackage } from "../pipeline/with-plan.js";
import { variableOf } from "../reader/node-option.js";
import { openDataNode } from "../reader/open-data-node.js";
import { faultOfPriceTemplate, openPriceFeed } from "../reader/open-price-feed.js";
import { clickHouseIn, type RowsArguments, withFilledRows } from "../reader/open-rows.js";
import { findNodes, ofReading } from "../run/find-nodes.js";
import { explainServing } from "../serve/explain-serving.js";
import { createServerLog } from "../serve/server-log.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { withFilledDatabase } from "./open-place.js";

export interface ServeDataArguments extends SubgraphArguments, RowsArguments {
  readonly port: number;
  readonly host: string;
  readonly publicAddress?: string | undefined;
  readonly rpc?: readonly string[] | undefined;
  /** The subgraph that keeps a market. */
  readonly market?: string | undefined;
  /** The address of a source of prices. */
  readonly prices?: string | undefined;
  /** Minutes. */
  readonly priceWindow: number;
  /** Seconds. */
  readonly timeLimit: number;
}

/** Serves the data service until interrupted; returns the exit code. @throws UsageError */
export async function serveDataService(args: ServeDataArguments, terminal: Terminal): Promise<number> {
  const { publicAddress, timeLimit, priceWindow, host, port } = args;
  if (publicAddress !== undefined && !isWebAddress(publicAddress))
    throw new UsageError("--public-address must start with http:// or https://");
  if (!(timeLimit > 0 && timeLimit <= 600)) throw new UsageError("--time-limit must be 1 to 600 seconds.");
  if (!(priceWindow > 0)) throw new UsageError("--price-window must be a number of minutes above 0.");
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535))
    throw new UsageError("--port must be 0 to 65535.");
  const fault = args.prices === undefined ? undefined : faultOfPriceTemplate(args.prices);
  if (fault !== undefined) throw new UsageError(fault);
  const clickHouse = clickHouseIn(args, terminal);
  const given = terminal.env?.GRAPHLOOM_DATA_SERVICE_KEY || undefined;
  const key = given ?? randomBytes(24).toString("base64url");
  const limit = Math.ceil(timeLimit * 1000);
  const serve = async (database: Database, store: DataStore): Promise<number> => {
    const logger = createServerLog({ format: terminal.isTty ? "text" : "json", level: "warn" }, terminal.err);
    // The operator names the source, which may be in their own network.
    const outgoing = createOutgoing({ allowsPrivate: true }, createNodeWorld());
    const service = createDataService({
      store,
      market:
        args.market === undefined ? undefined : await openMarket(args.market, database, { limit, logger }),
      key,
      nodes: await openNodes(args.rpc ?? [], store, terminal),
      priceWindow: priceWindow * 60,
      priceKeeper: args.prices === undefined ? undefined : keeperOf(args.prices, database, outgoing, logger),
      onFailure: (code, reason) => logger.warn({ code, reason }, "the database could not be read"),
      now: createNodeWorld().now,
    });
    let served: ServedData | undefined;
    try {
      terminal.onWriting(true);
      served = await serveData({ service, host, port, publicAddress, logger });
      terminal.out(introduction(served.address, given === undefined ? key : undefined));
      await aborted(terminal.signal);
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      return explainServing(error, terminal);
    } finally {
      await served?.close();
      outgoing.close();
      terminal.onWriting(false);
    }
    terminal.onServed?.();
    return exitCodes.clean;
  };
  return reportMissingPackage(terminal, () =>
    withFilledDatabase(args, terminal, (database) =>
      withFilledRows(clickHouse, { database, limit }, terminal, (store) => serve(database, store)),
    ),
  );
}

function keeperOf(template: string, database: Database, outgoing: Outgoing, logger: Logger): PriceKeeper {
  return createPriceKeeper({
    database,
    feed: openPriceFeed(template, outgoing),
    onFailure: (chain, reason) => logger.warn({ chain, reason }, "prices could not be fetched"),
  });
}

/**
 * The market that a subgraph keeps. Its index is created in the background.
 * @param options.limit milliseconds that a statement may take
 * @throws UsageError
 */
async function openMarket(
  subgraph: string,
  database: Database,
  { limit, logger }: { readonly limit: number; readonly logger: Logger },
): Promise<Market> {
  try {
    const deployment = await findMarket(database, namesIn(database), subgraph);
    const market = createPostgresMarket(database, { subgraph, deployment, limit });
    indexActivity(database, deployment).catch(({ message: reason }: Error) =>
      logger.warn({ reason }, "could not create the index on the market's activity"),
    );
    return market;
  } catch (error) {
    throw error instanceof MarketError ? new UsageError(`--market: ${error.message}`) : error;
  }
}

/** The nodes of the chains that are filled, by the names of their tables. @throws UsageError */
async function openNodes(
  given: readonly string[],
  store: DataStore,
  terminal: Terminal,
): Promise<ReadonlyMap<string, DataNode>> {
  const chains = await store.read((reads) => reads.chains());
  const filled = chains.flatMap(({ chain }) => dataChainOfTables(chain) ?? []);
  const networks = filled.map(({ network }) => network);
  const hasAny =
    given.length > 0 || networks.some((network) => (terminal.env?.[variableOf(network)] ?? "") !== "");
  if (!hasAny) return new Map();
  const { now } = createNodeWorld();
  const urls = findNodes(given, networks, terminal.env ?? {}, ofReading);
  return new Map(
    filled.flatMap(({ name, network }) => {
      const node = openDataNode(urls.get(network), terminal.signal);
      return node ? [[name, anyNode([node], now)] as const] : [];
    }),
  );
}

function introduction(address: string, newKey: string | undefined): string {
  const lines = [
    `The data service answers at ${address}`,
    `  explorer  ${address}/docs`,
    `  status    ${address}/status`,
    ...(newKey === undefined
      ? []
      : [
          `  key       ${newKey}`,
          "  The key ends with the process. To keep one, set GRAPHLOOM_DATA_SERVICE_KEY.",
        ]),
  ];
  return `${lines.join("\n")}\n`;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
