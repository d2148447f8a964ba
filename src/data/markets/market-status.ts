import type { Market } from "./market.js";
import type { MarketState } from "./market-reads.js";

/**
 * How far a market is indexed, and what it offers, for the status address.
 * @param now milliseconds since 1970
 */
export function marketStatus(market: Market, now: number): Promise<object> {
  const { subgraph, build, chain, depth } = market;
  return market.read(async (reads) => {
    const state = await reads.state();
    const { head, startBlock, keptFrom } = state ?? {};
    const final = head && head.number - depth;
    return {
      subgraph,
      build,
      chain: chain.feedsSlug,
      health: state ? healthOf(state) : "removed",
      indexed_from: startBlock ?? null,
      indexed_to: head?.number ?? null,
      final_to: final !== undefined && startBlock !== undefined && final >= startBlock ? final : null,
      head_lag_seconds:
        head?.timestamp === undefined ? null : Math.max(0, Math.floor(now / 1000) - head.timestamp),
      capabilities: {
        /** The first block for as_of_block. */
        history_from: keptFrom ?? startBlock ?? null,
      },
    };
  });
}

function healthOf({ failure, firstErrorBlock, isSynced }: MarketState): string {
  if (failure === "failed") return "failed";
  if (firstErrorBlock !== undefined) return "unhealthy";
  if (failure === "retried") return "retrying";
  return isSynced ? "healthy" : "behind";
}
