import { market, zeroAddress } from "./contracts.js";
import { type Happening, happeningsOf } from "./happenings.js";
import type { MarketLog } from "./market-log.js";

/** A row as the entities have it: ids and texts, `bigint`, and numbers for small integers. */
export type Row = Readonly<Record<string, string | bigint | number | null>>;

/** What the market's entities must be, each sorted by id. */
export interface ExpectedMarket {
  readonly activity: readonly Row[];
  readonly balances: readonly Row[];
  readonly positions: readonly Row[];
}

/** Folds the logs of a chain up to some block, in order. It knows the rules, and nothing of the subgraph. */
export function expectedMarket(logs: readonly MarketLog[]): ExpectedMarket {
  const happenings = happeningsOf(logs);
  return {
    activity: sorted(happenings.flatMap(activityOf)),
    balances: sorted(balancesOf(logs)),
    positions: sorted(positionsOf(happenings)),
  };
}

function sorted(rows: readonly Row[]): readonly Row[] {
  return [...rows].sort((one, other) => (String(one.id) < String(other.id) ? -1 : 1));
}

function activityOf(happening: Happening): readonly Row[] {
  return detailsOf(happening).map((details, part) => {
    const { transaction, index, block, timestamp } = happening.log;
    return {
      id: `${transaction}_${index}${part === 0 ? "" : `_${part}`}`,
      block: BigInt(block),
      timestamp: BigInt(timestamp),
      transactionHash: transaction,
      logIndex: index,
      part,
      orderType: "taker",
      address: happening.wallet,
      counterparty: null,
      tokenId: null,
      fee: null,
      feeAsset: null,
      orderId: null,
      builder: null,
      ...details,
    };
  });
}

function detailsOf(happening: Happening): readonly Row[] {
  switch (happening.kind) {
    case "trade":
      return [
        {
          eventType: "TRADE",
          side: happening.isBuy ? "BUY" : "SELL",
          orderType: happening.isTaker ? "taker" : "maker",
          counterparty: happening.counterparty,
          tokenId: happening.token,
          amountUsdc: happening.usdc,
          amountShares: happening.shares,
          fee: happening.fee,
          feeAsset: happening.fee === 0n ? null : happening.feeAsset,
          orderId: happening.order,
          builder: happening.builder,
        },
      ];
    case "split":
    case "merge": {
      const { kind, amount } = happening;
      const side = kind === "split" ? "BUY" : "SELL";
      return [{ eventType: kind.toUpperCase(), side, amountUsdc: amount, amountShares: amount }];
    }
    case "redemption":
      return happening.redeemed
        .filter(({ burnt }) => burnt > 0n)
        .map(({ token, burnt, numerator, denominator }) => ({
          eventType: "REDEEM",
          side: "SELL",
          tokenId: token,
          amountUsdc: (burnt * numerator) / denominator,
          amountShares: burnt,
        }));
    case "conversion": {
      const back = happening.amount * BigInt(happening.no.length - 1);
      return [{ eventType: "CONVERT", side: "SELL", amountUsdc: back, amountShares: happening.amount }];
    }
  }
}

function balancesOf(logs: readonly MarketLog[]): readonly Row[] {
  const balances = new Map<string, Row>();
  const moves = logs.flatMap((log) => {
    if (log.event !== "single" && log.event !== "batch") return [];
    const ids = log.event === "single" ? [log.number("id")] : log.numbers("ids");
    const values = log.event === "single" ? [log.number("value")] : log.numbers("values");
    const [from, to] = [log.text("from"), log.text("to")];
    if (from === to) return [];
    return ids.flatMap((token, place) => [
      { log, owner: from, token, change: -(values[place] ?? 0n) },
      { log, owner: to, token, change: values[place] ?? 0n },
    ]);
  });
  for (const { log, owner, token, change } of moves) {
    if (owner === zeroAddress || change === 0n) continue;
    const id = `${owner}-${market.conditionalTokens}-${token}`;
    const balance = BigInt(balances.get(id)?.balance ?? 0) + change;
    if (balance < 0n) throw new Error(`the balance ${id} is negative in block ${log.block}`);
    balances.set(id, {
      id,
      address: owner,
      contractAddress: market.conditionalTokens,
      tokenId: token,
      balance,
      block: BigInt(log.block),
      timestamp: BigInt(log.timestamp),
    });
  }
  return [...balances.values()];
}

interface Position {
  readonly amount: bigint;
  readonly avgPrice: bigint;
  readonly realizedPnl: bigint;
  readonly totalBought: bigint;
}

/** A step of a position. A sale without a quantity sells everything; without a price, at the average. */
type Step = { readonly token: bigint } & (
  | { readonly buy: bigint; readonly price: bigint }
  | { readonly sell: bigint | undefined; readonly price: bigint | undefined }
);

const one = 1_000_000n;
const nothing: Position = { amount: 0n, avgPrice: 0n, realizedPnl: 0n, totalBought: 0n };

function positionsOf(happenings: readonly Happening[]): readonly Row[] {
  const rows = new Map<string, Row>();
  const positions = new Map<string, Position>();
  for (const happening of happenings) {
    const { wallet, log } = happening;
    const idOf = (token: bigint): string => `${wallet}-${token}`;
    const current = (token: bigint): Position => positions.get(idOf(token)) ?? nothing;
    for (const step of stepsOf(happening, current)) {
      const before = current(step.token);
      const after =
        "buy" in step ? bought(before, step.buy, step.price) : sold(before, step.sell, step.price);
      if (after === before) continue;
      const id = idOf(step.token);
      positions.set(id, after);
      const changed = { block: BigInt(log.block), timestamp: BigInt(log.timestamp) };
      rows.set(id, { id, address: wallet, tokenId: step.token, ...after, ...changed });
    }
  }
  return [...rows.values()];
}

function stepsOf(happening: Happening, current: (token: bigint) => Position): readonly Step[] {
  switch (happening.kind) {
    case "trade": {
      const { token, usdc, shares, isBuy } = happening;
      if (shares === 0n) return [];
      const price = (usdc * one) / shares;
      return [isBuy ? { token, buy: shares, price } : { token, sell: shares, price }];
    }
    case "split":
      return happening.tokens.map((token) => ({ token, buy: happening.amount, price: one / 2n }));
    case "merge":
      return happening.tokens.map((token) => ({ token, sell: happening.amount, price: one / 2n }));
    case "redemption":
      return happening.redeemed.map(({ token, sold: sell, numerator, denominator }) => ({
        token,
        sell,
        price: (numerator * one) / denominator,
      }));
    case "conversion": {
      const { no, yes, amount } = happening;
      const count = BigInt(no.length);
      const mean = floor(
        no.reduce((sum, token) => sum + current(token).avgPrice, 0n),
        count,
      );
      const price = yes.length === 0 ? 0n : floor(count * mean - (count - 1n) * one, BigInt(yes.length));
      const sales: Step[] = no.map((token) => ({ token, sell: amount, price: undefined }));
      return [...sales, ...yes.map((token) => ({ token, buy: amount, price }))];
    }
  }
}

function bought(position: Position, quantity: bigint, price: bigint): Position {
  if (quantity === 0n) return position;
  const { amount, avgPrice, totalBought } = position;
  return {
    ...position,
    avgPrice: floor(avgPrice * amount + price * quantity, amount + quantity),
    amount: amount + quantity,
    totalBought: totalBought + quantity,
  };
}

function sold(position: Position, wanted: bigint | undefined, price = position.avgPrice): Position {
  const { amount, avgPrice, realizedPnl } = position;
  const quantity = wanted === undefined || wanted > amount ? amount : wanted;
  if (quantity === 0n) return position;
  const gain = floor(quantity * (price - avgPrice), one);
  return { ...position, amount: amount - quantity, realizedPnl: realizedPnl + gain };
}

/** Division that rounds down, for negative numbers too. */
function floor(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
}
