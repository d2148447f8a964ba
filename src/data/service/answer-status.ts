import { finalityOfId } from "../../chains/look-up-chain.js";
import { answerOf, type DataAnswer } from "../answers/data-answer.js";
import { dataChainOfTables } from "../chains/data-chain.js";
import { marketStatus } from "../markets/market-status.js";
import type { FoundMarket } from "../markets/project-markets.js";
import type { DataReads, DataStore, IndexedChain } from "../reads/data-reads.js";

/**
 * Answers `GET /status`: how far the tables of each chain and the market are filled, and what can be had of them.
 * @param hasNode whether a chain has a node, by the name of its tables
 * @param now milliseconds since 1970
 */
export async function answerStatus(
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
      /** Native transfers are those of transactions, from their receipts; those of contracts would take traces. */
      receipts: natives,
      traces: false,
      finality: by,
      node,
    },
  };
}
