import type { DataAnswer } from "../answers/data-answer.js";
import type { Given } from "../answers/parameters.js";
import { canonicalFilters } from "./canonical-filters.js";
import { positionParameters } from "./market-parameters.js";
import type { Position, PositionKey, SortKey } from "./market-reads.js";
import { answerPage, type MarketOperation, type MarketWorld } from "./market-walk.js";

type PositionFilters = Given<typeof positionParameters>;

const byToken: SortKey<PositionKey> = { field: "tokenId", isDescending: false };

const orders: Readonly<Record<string, readonly SortKey<PositionKey>[]>> = {
  amount_desc: [{ field: "amount", isDescending: true }, byToken],
  amount_asc: [{ field: "amount", isDescending: false }, byToken],
  realized_pnl_desc: [{ field: "realizedPnl", isDescending: true }, byToken],
  last_updated_at_desc: [{ field: "timestamp", isDescending: true }, byToken],
};

const positions: MarketOperation<PositionKey, Position> = {
  of: "positions",
  parameters: positionParameters,
  settle: (given) => ({ sort: "amount_desc", include_zero: false, ...canonicalFilters(given) }),
  order: ({ sort }) => orders[String(sort)] ?? [byToken],
  read: (reads, filters, page) => {
    const { address = "", token_id, min_amount, include_zero = false } = filters as PositionFilters;
    return reads.positions({
      ...page,
      address,
      tokenId: token_id,
      withZero: include_zero,
      minAmount: min_amount === undefined ? undefined : BigInt(min_amount),
    });
  },
  keyOf: (row, field) => row[field],
  itemOf,
};

/** Answers `GET /market/positions`. @throws Refusal */
export function answerPositions(query: URLSearchParams, world: MarketWorld): Promise<DataAnswer> {
  return answerPage(positions, query, world);
}

function itemOf({ address, tokenId, amount, avgPrice, realizedPnl, totalBought, ...of }: Position): object {
  return {
    address: address.toLowerCase(),
    token_id: String(tokenId),
    amount: decimalOrNull(amount),
    avg_price: decimalOrNull(avgPrice),
    realized_pnl: decimalOrNull(realizedPnl),
    total_bought: decimalOrNull(totalBought),
    block_number: of.block,
    /** The write time of a row is not stored: it would change whenever the subgraph is indexed again. */
    last_updated_at: of.timestamp,
  };
}

function decimalOrNull(number: bigint | null): string | null {
  return number === null ? null : String(number);
}
