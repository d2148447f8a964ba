import { createHash, timingSafeEqual } from "node:crypto";
import { messageOf } from "../../base/text/message-of.js";
import { quoteForeign } from "../../base/text/quote-foreign.js";
import { finalityOfId } from "../../chains/look-up-chain.js";
import { answerOf, answerOfRefusal, type DataAnswer } from "../answers/data-answer.js";
import { Refusal, type RefusalCode } from "../answers/refusal.js";
import { answerBlocks, answerHead } from "../blocks/answer-blocks.js";
import { type DataChain, dataChainOfBlocks, dataChainOfTables } from "../chains/data-chain.js";
import { createSealer } from "../cursors/sealer.js";
import { answerActivity } from "../markets/answer-activity.js";
import { answerMarketBalances } from "../markets/answer-market-balances.js";
import { answerPositions } from "../markets/answer-positions.js";
import type { Market } from "../markets/market.js";
import { marketStatus } from "../markets/market-status.js";
import type { MarketWorld } from "../markets/market-walk.js";
import type { FoundMarket } from "../markets/project-markets.js";
import { createNodeBalances, type DataNodes } from "../nodes/read-balances.js";
import type { PriceKeeper } from "../prices/price-keeper.js";
import type { DataReads, DataStore, IndexedChain } from "../reads/data-reads.js";
import { answerBalances } from "../wallets/answer-balances.js";
import { answerTransfers } from "../wallets/answer-transfers.js";

/** A request from any HTTP server. */
export interface DataRequest {
  readonly method: string;
  /** With its query: `/blocks/ethereum?limit=1`. */
  readonly url: string;
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Finds the client's market; the service's by default. @throws Refusal */
  readonly market?: (() => Promise<FoundMarket>) | undefined;
  /** The project of the client, which takes turns at the nodes with others. */
  readonly project?: string | undefined;
}

/** The dependencies of the service. */
export interface DataServiceOptions {
  readonly store: DataStore;
  /** The key that requests must carry. It also signs cursors. */
  readonly key: string;
  /** Nodes of chains by the names of their tables; none by default. */
  readonly nodes?: DataNodes;
  /** The market to serve; none by default. */
  readonly market?: Market | undefined;
  /** Seconds that a price may be old, four hours by default. */
  readonly priceWindow?: number;
  /** Fetches prices that the tables lack; by default, such tokens have none. */
  readonly priceKeeper?: PriceKeeper | undefined;
  /** Receives the reason of a database failure. Clients only learn that it has failed. */
  onFailure?(code: RefusalCode, reason: string): void;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Answers requests: the operations of the contract, and the status address. */
export interface DataService {
  /**
   * Answers a request; a refusal is also an answer.
   * @throws bugs
   */
  answer(request: DataRequest): Promise<DataAnswer>;
}

const usualPriceWindow = 4 * 3_600;

/** Creates the service over a store. */
export function createDataService({
  store,
  key,
  nodes = new Map<string, never>(),
  market,
  priceWindow = usualPriceWindow,
  priceKeeper,
  onFailure = () => undefined,
  now,
}: DataServiceOptions): DataService {
  const balances = createNodeBalances(nodes);
  const world = { store, sealer: createSealer(key), balances, priceWindow, priceKeeper, now };

  const ownMarket: FoundMarket = market
    ? { market }
    : { why: "This service has no market: it was started without --market." };

  async function route(
    path: string,
    query: URLSearchParams,
    { project, market: findMarket = async () => ownMarket }: Pick<DataRequest, "project" | "market">,
  ): Promise<DataAnswer> {
    const marketWorld = async (): Promise<MarketWorld> => {
      const found = await findMarket();
      if ("why" in found) throw new Refusal("NO_DATA", found.why);
      return { market: found.market, sealer: world.sealer };
    };
    const [, first, second, third, ...more] = path.replace(/\/$/, "").split("/");
    if (first === "blocks" && second !== undefined && more.length === 0) {
      const chain = chainOf(second);
      if (third === undefined) return answerBlocks(chain, query, world);
      if (third === "head") return answerHead(chain, now(), world);
    }
    if (first === "feeds" && second === "wallets" && more.length === 0) {
      if (third === "transfers") return answerTransfers(query, world);
      if (third === "balances") return answerBalances(query, { ...world, project });
    }
    if (first === "market" && second !== undefined && third === undefined) {
      if (second === "activity") return answerActivity(query, await marketWorld());
      if (second === "balances") return answerMarketBalances(query, await marketWorld());
      if (second === "positions") return answerPositions(query, await marketWorld());
    }
    if (first === "status" && second === undefined)
      return answerStatus(store, await findMarket(), balances.has, now());
    throw noOperation();
  }

  return {
    async answer(request) {
      try {
        const { method } = request;
        if (method !== "GET" && method !== "HEAD")
          throw new Refusal("METHOD_NOT_ALLOWED", `The service is read-only: send GET, not ${method}.`);
        const path = request.url.replace(/^\/+/, "/");
        if (!URL.canParse(path, "http://localhost")) throw noOperation();
        const { pathname, searchParams } = new URL(path, "http://localhost");
        if (!keysIn(request, searchParams).some((given) => isKey(given, key)))
          throw new Refusal(
            "UNAUTHORIZED",
            "Send a valid API key: in the header x-api-key, as a bearer token, or in the parameter key.",
          );
        return await route(pathname, searchParams, request);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { code, cause } = error;
        if (cause !== undefined) onFailure(code, messageOf(cause));
        return answerOfRefusal(error);
      }
    },
  };
}

function noOperation(): Refusal {
  return new Refusal(
    "NOT_FOUND",
    "There is no operation at this path. The OpenAPI document, /openapi.json, lists them all.",
  );
}

/** @throws Refusal */
function chainOf(slug: string): DataChain {
  const name = decoded(slug);
  const chain = name === undefined ? undefined : dataChainOfBlocks(name);
  if (chain) return chain;
  throw new Refusal("UNKNOWN_CHAIN", `There is no chain ${quoteForeign(name ?? slug)}.`);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** All keys in a request. One right key is enough: a proxy or a library may add others. */
function keysIn(request: DataRequest, query: URLSearchParams): readonly string[] {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(request.header("authorization") ?? "") ?? [];
  const given = [request.header("x-api-key"), bearer, ...query.getAll("key")];
  return given.filter((each) => each !== undefined);
}

/** Takes the same time for every wrong key. */
function isKey(given: string, key: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(key));
}

/**
 * Answers `GET /status`: how far the tables of each chain and the market are filled, and what they offer.
 * @param hasNode whether a chain has a node, by the name of its tables
 * @param now milliseconds since 1970
 */
async function answerStatus(
  store: DataStore,
  found: FoundMarket,
  hasNode: (chain: string) => boolean,
  now: number,
): Promise<DataAnswer> {
  const chains = await store.read(async (reads) => {
    const filled = await reads.chains();
    const shown = await Promise.all(
      filled.map((indexed) => chainStatus(indexed, reads, hasNode(indexed.chain), now)),
    );
    return shown.filter((chain) => chain !== undefined);
  });
  const market = "market" in found ? await marketStatus(found.market, now) : null;
  return answerOf({ chains, market }, [], "never");
}

async function chainStatus(
  { chain: name, firstBlock, natives }: IndexedChain,
  reads: DataReads,
  node: boolean,
  now: number,
): Promise<object | undefined> {
  const chain = dataChainOfTables(name);
  if (!chain) return undefined;
  const [{ head } = { head: undefined }, indexed] = await Promise.all([
    reads.standing(name),
    reads.indexed(name),
  ]);
  const { by } = finalityOfId(chain.chainId ?? "");
  return {
    chain: chain.feedsSlug,
    blocks_chain: chain.blocksSlug,
    chain_id: chain.chainId === undefined ? null : Number(chain.chainId),
    indexed_from: firstBlock,
    head_lag_seconds: head ? Math.max(0, Math.floor(now / 1000) - head.timestamp) : null,
    indexed_to: Object.fromEntries(indexed.map(({ category, last }) => [category, last ?? null])),
    final_to: Object.fromEntries(indexed.map(({ category, final }) => [category, final ?? null])),
    capabilities: {
      /** Native transfers come from transactions and their receipts; transfers by contracts would need traces. */
      receipts: natives,
      traces: false,
      finality: by,
      node,
    },
  };
}
