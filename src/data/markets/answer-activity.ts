import type { DataAnswer } from "../answers/data-answer.js";
import type { Given } from "../answers/parameters.js";
import { Refusal } from "../answers/refusal.js";
import type { Filters } from "../cursors/adopt-filters.js";
import { atScale, readExact } from "../numbers/exact.js";
import { canonicalFilters } from "./canonical-filters.js";
import { activityParameters, mostUnfiltered, widestBlocks, widestSeconds } from "./market-parameters.js";
import type { Activity, ActivityKey, SortKey } from "./market-reads.js";
import { answerPage, type MarketOperation, type MarketWorld } from "./market-walk.js";

/** The bits of a quotient that determine its double: its own bits, and two for rounding. */
const decisiveBits = 55;

/** Amounts are integers in millionths of a unit. */
const unit = 1_000_000n;

type ActivityFilters = Given<typeof activityParameters>;

const newestFirst: readonly SortKey<ActivityKey>[] = (["block", "logIndex", "part", "id"] as const).map(
  (field) => ({ field, isDescending: true }),
);

const orders: Readonly<Record<string, readonly SortKey<ActivityKey>[]>> = {
  block_number_desc: newestFirst,
  block_number_asc: newestFirst.map(({ field }) => ({ field, isDescending: false })),
  amount_usdc_desc: [{ field: "amountUsdc", isDescending: true }, ...newestFirst],
};

const activity: MarketOperation<ActivityKey, Activity> = {
  of: "activity",
  parameters: activityParameters,
  settle: (given) => ({ sort: "block_number_desc", ...canonicalFilters(given) }),
  check: checkSelective,
  order: ({ sort }) => orders[String(sort)] ?? newestFirst,
  upTo: ({ sort, end_block: end }, after) => {
    const reached = sort === "block_number_desc" && after ? Number(after[0]) : undefined;
    const last = Math.min(Number(end ?? Infinity), reached ?? Infinity);
    return last === Infinity ? undefined : last;
  },
  read: (reads, filters, page) => {
    const given = filters as ActivityFilters;
    return reads.activity({
      ...page,
      address: given.address,
      tokenId: given.token_id,
      eventType: given.event_type,
      side: given.side,
      orderType: given.order_type,
      since: given.start_time === undefined ? undefined : Number(given.start_time),
      until: given.end_time === undefined ? undefined : Number(given.end_time),
      from: given.start_block,
      to: given.end_block,
      minAmountUsdc: given.min_amount_usdc === undefined ? undefined : leastUnits(given.min_amount_usdc),
    });
  },
  keyOf: (row, field) => row[field],
  itemOf,
};

/** Answers `GET /market/activity`. @throws Refusal */
export function answerActivity(query: URLSearchParams, world: MarketWorld): Promise<DataAnswer> {
  return answerPage(activity, query, world);
}

/** Refuses filters that would read every wallet's activity. @throws Refusal */
function checkSelective({ sort, ...filters }: Filters, limit: number): void {
  const { address, token_id, start_block, end_block, start_time, end_time } = filters as ActivityFilters;
  const spans = (first: unknown, last: unknown, widest: number): boolean =>
    first !== undefined && last !== undefined && Number(last) - Number(first) <= widest;
  const isSelective =
    address !== undefined ||
    token_id !== undefined ||
    spans(start_block, end_block, widestBlocks) ||
    spans(start_time, end_time, widestSeconds);
  const isGlance =
    Object.keys(filters).length === 0 && limit <= mostUnfiltered && sort !== "amount_usdc_desc";
  if (isSelective || isGlance) return;
  throw new Refusal(
    "MISSING_SELECTIVE_FILTER",
    `Add address or token_id, start_block and end_block at most ${widestBlocks} blocks apart, or start_time and end_time at most ${widestSeconds} seconds apart. Without any filter, limit may be ${mostUnfiltered} and the order that of blocks.`,
  );
}

/** An amount in units, rounded up. */
function leastUnits(amount: number): bigint {
  const exact = readExact(String(amount)) ?? { digits: 0n, scale: 0 };
  const scale = Math.max(exact.scale, 6);
  const [digits, size] = [atScale(exact, scale), 10n ** BigInt(scale - 6)];
  return (digits + size - 1n) / size;
}

function itemOf(row: Activity): object {
  const { amountUsdc, amountShares } = row;
  return {
    id: row.id,
    block_number: row.block,
    block_timestamp: row.timestamp,
    transaction_hash: row.transactionHash,
    event_type: row.eventType,
    side: row.side,
    order_type: row.orderType,
    address: row.address?.toLowerCase() ?? null,
    counterparty_address: row.counterparty?.toLowerCase() ?? null,
    token_id: row.tokenId === null ? null : String(row.tokenId),
    amount_usdc: amountUsdc === null ? null : ratioToDouble(amountUsdc, unit),
    amount_shares: amountShares === null ? null : ratioToDouble(amountShares, unit),
    price: isPriced(row) ? ratioToDouble(row.amountUsdc, row.amountShares) : null,
    fee: feeOf(row),
    fee_asset: row.feeAsset,
    order_id: row.orderId,
    builder: row.builder,
  };
}

function isPriced(
  row: Activity,
): row is Activity & { readonly amountUsdc: bigint; readonly amountShares: bigint } {
  return row.amountUsdc !== null && row.amountShares !== null && row.amountShares > 0n;
}

/** In USDC: a fee in outcome tokens is worth their price. */
function feeOf(row: Activity): number | null {
  if (row.fee === null) return null;
  if (row.feeAsset !== "token") return ratioToDouble(row.fee, unit);
  return isPriced(row) ? ratioToDouble(row.fee * row.amountUsdc, row.amountShares * unit) : null;
}

/**
 * The double that is nearest to a quotient: it is computed exactly, and rounded once.
 * @param divisor above 0
 */
export function ratioToDouble(dividend: bigint, divisor: bigint): number {
  if (dividend < 0n) return -ratioToDouble(-dividend, divisor);
  const missing = decisiveBits - (bitsOf(dividend) - bitsOf(divisor));
  const shift = Math.max(0, missing);
  const scaled = dividend << BigInt(shift);
  // The remainder only decides which way a quotient between two doubles is rounded.
  const quotient = scaled / divisor;
  const sticky = scaled % divisor === 0n ? 0n : 1n;
  return Number(quotient | sticky) / 2 ** shift;
}

function bitsOf(number: bigint): number {
  return number.toString(2).length;
}
