import { concat, keccak256, toBeHex, zeroPadValue } from "ethers";
import { groupBy } from "../../../src/base/group-by.js";
import {
  collaterals,
  ctfAdapters,
  type EventName,
  exchanges,
  market,
  venues,
  zeroAddress,
  zeroHash,
} from "./contracts.js";
import type { MarketLog } from "./market-log.js";

/** What a wallet did, according to a log and its neighbors. Amounts are in units of 1e-6. */
export type Happening = { readonly log: MarketLog; readonly wallet: string } & (
  | Trade
  | { readonly kind: "split" | "merge"; readonly tokens: readonly bigint[]; readonly amount: bigint }
  | { readonly kind: "redemption"; readonly redeemed: readonly Redeemed[] }
  | Conversion
);

interface Trade {
  readonly kind: "trade";
  readonly isBuy: boolean;
  readonly isTaker: boolean;
  readonly counterparty: string | null;
  readonly token: bigint;
  readonly usdc: bigint;
  readonly shares: bigint;
  readonly fee: bigint;
  readonly feeAsset: "token" | "collateral";
  readonly order: string;
  readonly builder: string | null;
}

/** An outcome that was redeemed. */
interface Redeemed {
  readonly token: bigint;
  readonly burnt: bigint;
  /** What a position sells; everything if undefined. */
  readonly sold: bigint | undefined;
  readonly numerator: bigint;
  readonly denominator: bigint;
}

interface Conversion {
  readonly kind: "conversion";
  readonly amount: bigint;
  readonly no: readonly bigint[];
  readonly yes: readonly bigint[];
}

/** What all logs of a chain say together. */
interface Knowledge {
  /** The token of an index set, by condition, collateral and index set. */
  readonly tokens: ReadonlyMap<string, bigint>;
  readonly negRiskCollateral: string;
  readonly numerators: ReadonlyMap<string, readonly bigint[]>;
}

type Transaction = readonly MarketLog[];

/** What wallets did, in the order of the logs. @param logs all logs of a chain up to some block, in order */
export function happeningsOf(logs: readonly MarketLog[]): readonly Happening[] {
  const transactions = [...groupBy(logs, ({ transaction }) => transaction).values()];
  const knowledge = knowledgeOf(transactions);
  const happenings: Happening[] = [];
  for (const transaction of transactions) {
    for (const [at, log] of transaction.entries()) {
      const found = happeningOf(transaction, at, log, knowledge, logs);
      if (found && !venues.has(found.wallet)) happenings.push(found);
    }
  }
  return happenings;
}

function knowledgeOf(transactions: readonly Transaction[]): Knowledge {
  const tokens = new Map<string, bigint>();
  const numerators = new Map<string, readonly bigint[]>();
  let negRiskCollateral = "";
  for (const transaction of transactions) {
    for (const [at, log] of transaction.entries()) {
      if (log.event === "resolved") numerators.set(log.text("conditionId"), log.numbers("payoutNumerators"));
      if (log.event !== "split" || log.text("parentCollectionId") !== zeroHash) continue;
      if (log.text("stakeholder") === market.negRiskAdapter) negRiskCollateral = log.text("collateralToken");
      const mint = transaction
        .slice(0, at)
        .findLast((before) => before.event === "batch" && before.text("from") === zeroAddress);
      for (const [place, set] of log.numbers("partition").entries()) {
        const token = mint?.numbers("ids")[place];
        if (token !== undefined)
          tokens.set(keyOf(log.text("conditionId"), log.text("collateralToken"), set), token);
      }
    }
  }
  return { tokens, numerators, negRiskCollateral };
}

function keyOf(condition: string, collateral: string, set: bigint): string {
  return [condition, collateral, set].join();
}

function happeningOf(
  transaction: Transaction,
  at: number,
  log: MarketLog,
  knowledge: Knowledge,
  logs: readonly MarketLog[],
): Happening | undefined {
  switch (log.event) {
    case "fill1":
    case "fill2":
      return { log, wallet: log.text("maker"), ...tradeOf(transaction, at, log) };
    case "split":
    case "adapterSplit":
    case "merge":
    case "adapterMerge": {
      const isSplit = log.event === "split" || log.event === "adapterSplit";
      const holder = log.text("stakeholder");
      const wallet = isSplit ? receiverAfter(transaction, at, holder) : senderBefore(transaction, at, holder);
      if (wallet === undefined || !isOfMarket(log)) return undefined;
      const tokens = [1n, 2n].map((set) => known(tokenOf(knowledge, log, set)));
      return { log, wallet, kind: isSplit ? "split" : "merge", tokens, amount: log.number("amount") };
    }
    case "redemption":
    case "adapterRedemption": {
      const wallet = senderBefore(transaction, at, log.text("redeemer"));
      if (wallet === undefined || !isOfMarket(log)) return undefined;
      return { log, wallet, kind: "redemption", redeemed: redeemedOf(transaction, at, log, knowledge) };
    }
    case "converted": {
      const wallet = senderBefore(transaction, at, log.text("stakeholder"));
      return wallet === undefined ? undefined : { log, wallet, ...conversionOf(log, knowledge, logs) };
    }
    default:
      return undefined;
  }
}

/** Collections within collections and foreign collateral are not of the market. */
function isOfMarket(log: MarketLog): boolean {
  if (log.address === market.negRiskAdapter) return true;
  return log.text("parentCollectionId") === zeroHash && collaterals.has(log.text("collateralToken"));
}

/** For whom an adapter of the second version has split: who gets the tokens next. */
function receiverAfter(transaction: Transaction, at: number, holder: string): string | undefined {
  if (!ctfAdapters.has(holder)) return holder;
  return transaction
    .slice(at)
    .find((log) => log.event === "batch" && log.text("from") === holder)
    ?.text("to");
}

/** For whom an adapter of the second version acts: who gave it tokens last. */
function senderBefore(transaction: Transaction, at: number, holder: string): string | undefined {
  if (!ctfAdapters.has(holder)) return holder;
  return transaction
    .slice(0, at)
    .filter((log) => log.event === "batch" && log.text("to") === holder)
    .findLast((log) => ![zeroAddress, market.negRiskAdapter].includes(log.text("from")))
    ?.text("from");
}

function tokenOf(knowledge: Knowledge, log: MarketLog, set: bigint): bigint | undefined {
  const isAdapter = log.address === market.negRiskAdapter;
  const collateral = isAdapter ? knowledge.negRiskCollateral : log.text("collateralToken");
  return knowledge.tokens.get(keyOf(log.text("conditionId"), collateral, set));
}

/** A token that a split must have made before. */
function known(token: bigint | undefined): bigint {
  if (token === undefined) throw new Error("no split has made the token");
  return token;
}

function tradeOf(transaction: Transaction, at: number, log: MarketLog): Trade {
  const isTaker = exchanges.has(log.text("taker"));
  const [made, taken] = [log.number("makerAmountFilled"), log.number("takerAmountFilled")];
  const isFirst = log.event === "fill1";
  const isBuy = isFirst ? log.number("makerAssetId") === 0n : log.number("side") === 0n;
  const asset = isBuy ? "takerAssetId" : "makerAssetId";
  const builder = isFirst ? zeroHash : log.text("builder");
  return {
    kind: "trade",
    isBuy,
    isTaker,
    counterparty: isTaker ? null : log.text("taker"),
    token: log.number(isFirst ? asset : "tokenId"),
    usdc: isBuy ? made : taken,
    shares: isBuy ? taken : made,
    fee: log.number("fee") - refundOf(transaction, at, log.text("orderHash")),
    feeAsset: isFirst && isBuy ? "token" : "collateral",
    order: log.text("orderHash"),
    builder: builder === zeroHash ? null : builder,
  };
}

/**
 * What was refunded of a fill's fee. Refunds follow the match in the order of its fills; the transaction may have several
 * matches, and a match several fills of one order.
 */
function refundOf(transaction: Transaction, at: number, order: string): bigint {
  const isMatched = ({ event }: MarketLog): boolean => event === "matched1" || event === "matched2";
  if (!transaction.some(({ event }) => event === "refund")) return 0n;
  const matchAt = (place: number): number => transaction.slice(0, place).filter(isMatched).length;
  const places = [...transaction.keys()];
  const isOf = (place: number, ...kinds: readonly EventName[]): boolean => {
    const log = transaction[place];
    return log !== undefined && kinds.includes(log.event) && log.text("orderHash") === order;
  };
  const fills = places.filter((place) => isOf(place, "fill1", "fill2"));
  const own = fills.filter((place) => matchAt(place) === matchAt(at));
  const refunds = new Map<number, bigint>();
  for (const place of places.filter((one) => isOf(one, "refund"))) {
    const last = fills.findLast((fill) => fill < place);
    if (last === undefined || !own.includes(last)) continue;
    // A fill whose fee is smaller had no such refund.
    const refund = transaction[place]?.number("refund") ?? 0n;
    const fill = own.find((one) => !refunds.has(one) && (transaction[one]?.number("fee") ?? 0n) >= refund);
    if (fill !== undefined) refunds.set(fill, refund);
  }
  return refunds.get(at) ?? 0n;
}

function redeemedOf(
  transaction: Transaction,
  at: number,
  log: MarketLog,
  knowledge: Knowledge,
): readonly Redeemed[] {
  const numerators = knowledge.numerators.get(log.text("conditionId")) ?? [];
  const denominator = numerators.reduce((sum, numerator) => sum + numerator, 0n);
  const redeemer = log.text("redeemer");
  const isAdapter = log.address === market.negRiskAdapter;
  // The token contract takes an index set twice, and burns nothing the second time.
  const sets = isAdapter ? [1n, 2n] : [...new Set(log.numbers("indexSets"))];
  // The burns of a split into collections within others come before its event.
  const since =
    transaction.slice(0, at).findLastIndex(({ event }) => event === "redemption" || event === "split") + 1;
  const burns = transaction
    .slice(since, at)
    .filter((burn) => burn.event === "single" && burn.text("to") === zeroAddress)
    .filter((burn) => burn.text("from") === redeemer);
  return sets.flatMap((set, place) => {
    const token = tokenOf(knowledge, log, set);
    // Anyone may redeem nothing of a condition that was never split.
    if (token === undefined) return [];
    const burn = burns.find((one) => one.number("id") === token)?.number("value") ?? 0n;
    const burnt = isAdapter ? (log.numbers("amounts")[place] ?? 0n) : burn;
    const sold = isAdapter || ctfAdapters.has(redeemer) ? burnt : undefined;
    return { token, burnt, sold, numerator: numerators[Number(set) - 1] ?? 0n, denominator };
  });
}

function conversionOf(log: MarketLog, knowledge: Knowledge, logs: readonly MarketLog[]): Conversion {
  const isBefore = (other: MarketLog): boolean =>
    other.block < log.block || (other.block === log.block && other.index < log.index);
  const conditions = logs
    .filter((other) => other.event === "questionPrepared" && isBefore(other))
    .filter((other) => other.text("marketId") === log.text("marketId"))
    .map((other) => conditionOf(market.negRiskAdapter, other.text("questionId")));
  const isConverted = (question: number): boolean =>
    ((log.number("indexSet") >> BigInt(question)) & 1n) === 1n;
  const token = (condition: string, set: bigint): bigint =>
    known(knowledge.tokens.get(keyOf(condition, knowledge.negRiskCollateral, set)));
  return {
    kind: "conversion",
    amount: log.number("amount"),
    no: conditions.filter((_, place) => isConverted(place)).map((condition) => token(condition, 2n)),
    yes: conditions.filter((_, place) => !isConverted(place)).map((condition) => token(condition, 1n)),
  };
}

/** The id of a condition with two outcomes. */
export function conditionOf(oracle: string, question: string): string {
  return keccak256(concat([oracle, question, zeroPadValue(toBeHex(2), 32)]));
}
