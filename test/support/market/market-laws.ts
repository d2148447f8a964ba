import { market } from "./contracts.js";
import type { Row } from "./expected-market.js";
import type { MarketLog } from "./market-log.js";

function big(row: Row | undefined, name: string): bigint {
  return BigInt(row?.[name] ?? 0);
}

function sum(numbers: readonly bigint[]): bigint {
  return numbers.reduce((total, number) => total + number, 0n);
}

/** The activity by the log that it is of. */
class ByLog {
  readonly #rows = new Map<string, Row[]>();

  constructor(activity: readonly Row[]) {
    for (const row of activity) {
      const place = `${row.transactionHash} ${row.logIndex}`;
      this.#rows.set(place, [...(this.#rows.get(place) ?? []), row]);
    }
  }

  of({ transaction, index }: MarketLog): readonly Row[] {
    return this.#rows.get(`${transaction} ${index}`) ?? [];
  }
}

/** A redemption, with what its event says was paid out and what its rows add up to. */
export interface RedemptionSides {
  readonly log: string;
  readonly payout: bigint;
  readonly booked: bigint;
}

/** The redemptions of wallets, at the token contract and at the neg-risk adapter. */
export function redemptionSides(
  logs: readonly MarketLog[],
  activity: readonly Row[],
): readonly RedemptionSides[] {
  const rows = new ByLog(activity);
  return logs
    .filter(({ event }) => event === "redemption" || event === "adapterRedemption")
    .filter((log) => log.text("redeemer") !== market.negRiskAdapter)
    .map((log) => ({
      log: `${log.transaction}_${log.index}`,
      payout: log.number("payout"),
      booked: sum(rows.of(log).map((row) => big(row, "amountUsdc"))),
    }));
}

/** A match: the shares of both sides, and what the taker's row has in collateral beside what the makers' rows leave for it. */
export interface MatchSides {
  readonly log: string;
  readonly isBuy: boolean;
  readonly shares: readonly [taker: bigint, makers: bigint];
  readonly usdc: readonly [taker: bigint, makers: bigint];
}

/**
 * The matches. A maker with the opposite side pays or gets what the taker gets or pays. One with the same side has the other
 * outcome, so that both together pay or get a dollar for a share.
 */
export function matchSides(logs: readonly MarketLog[], activity: readonly Row[]): readonly MatchSides[] {
  const rows = new ByLog(activity);
  const matches: MatchSides[] = [];
  let fills: Row[] = [];
  let transaction: string | undefined;
  for (const log of logs) {
    if (log.transaction !== transaction) fills = [];
    transaction = log.transaction;
    if (log.event === "fill1" || log.event === "fill2") fills.push(...rows.of(log));
    if (log.event !== "matched1" && log.event !== "matched2") continue;
    const taker = fills.findLast(({ orderType }) => orderType === "taker");
    const makers = fills.filter(
      ({ orderType, counterparty }) => orderType === "maker" && counterparty === taker?.address,
    );
    fills = [];
    const left = makers.map((row) =>
      row.side === taker?.side ? big(row, "amountShares") - big(row, "amountUsdc") : big(row, "amountUsdc"),
    );
    matches.push({
      log: `${log.transaction}_${log.index}`,
      isBuy: taker?.side === "BUY",
      shares: [big(taker, "amountShares"), sum(makers.map((row) => big(row, "amountShares")))],
      usdc: [big(taker, "amountUsdc"), sum(left)],
    });
  }
  return matches;
}
