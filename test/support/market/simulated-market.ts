import { keccak256, solidityPacked, toBeHex, toUtf8Bytes } from "ethers";
import { type EventName, market, zeroAddress, zeroHash } from "./contracts.js";
import { conditionOf } from "./happenings.js";
import type { MadeLog } from "./market-log.js";

/** A condition with two outcomes. */
export interface Condition {
  readonly id: string;
  readonly oracle: string;
  readonly question: string;
  readonly collateral: string;
  /** The neg-risk market that it is a question of. */
  readonly negRisk?: string;
  /** The tokens of the index sets 1 and 2. */
  readonly tokens: readonly [bigint, bigint];
  numerators?: readonly bigint[];
}

/** A part of a match: a maker's order, and how much of the order is filled. */
export interface MakerFill {
  readonly order: string;
  readonly maker: string;
  /** Whether it has the taker's token, and the opposite side. Otherwise it has the other token and the same side. */
  readonly isComplementary: boolean;
  /** What the maker pays or gets, without a fee. */
  readonly usdc: bigint;
  readonly shares: bigint;
  readonly fee: bigint;
  /** What the fee module gives back of the fee. */
  readonly refund?: bigint;
}

/** A taker's order and the orders that it meets. */
export interface Match {
  readonly condition: Condition;
  /** The place of the taker's token. */
  readonly outcome: 0 | 1;
  readonly isBuy: boolean;
  readonly order: string;
  readonly taker: string;
  readonly makers: readonly MakerFill[];
  readonly fee: bigint;
  readonly refund?: bigint;
  /** What the taker offered, and got back without an event. */
  readonly surplus?: bigint;
  readonly builder?: string;
}

export const operator = `0x${"0f".repeat(20)}`;
export const oracle = `0x${"0a".repeat(20)}`;
const burnAddress = "0xa5ef39c3d3e10d0b270233af41cac69796b12966";

/**
 * The market's contracts, as far as they emit: they hold tokens, refuse what the holder has not, and emit the events in
 * the order in which the real ones do. Each call is a part of the transaction that `take` returns.
 */
export class SimulatedMarket {
  readonly conditions: Condition[] = [];
  private readonly held = new Map<string, bigint>();
  private logs: MadeLog[] = [];
  private questions = 0;

  /** A copy whose future is its own. */
  copy(): SimulatedMarket {
    const copy = new SimulatedMarket();
    copy.conditions.push(...this.conditions.map((condition) => ({ ...condition })));
    for (const [key, value] of this.held) copy.held.set(key, value);
    copy.questions = this.questions;
    return copy;
  }

  /** The logs since the last call: those of one transaction. */
  take(): readonly MadeLog[] {
    const logs = this.logs;
    this.logs = [];
    return logs;
  }

  /** What an address has of a token. */
  balance(owner: string, token: bigint): bigint {
    return this.held.get(`${owner} ${token}`) ?? 0n;
  }

  /** The questions of a neg-risk market, in their order. */
  questionsOf(negRisk: string): readonly Condition[] {
    return this.conditions.filter((condition) => condition.negRisk === negRisk);
  }

  /** Prepares a condition of its own. */
  prepare(): Condition {
    const condition = this.prepareCondition(oracle, this.nextHash("question"), market.usdc);
    const [first, second] = condition.tokens;
    this.emit(market.exchange1, "registered", [first, second, condition.id]);
    this.emit(market.exchange1, "registered", [second, first, condition.id]);
    return condition;
  }

  /** Prepares a neg-risk market without questions. */
  prepareNegRisk(): string {
    const id = `${this.nextHash("market").slice(0, -2)}00`;
    this.emit(market.negRiskAdapter, "marketPrepared", [id, oracle, 0n, "0x"]);
    return id;
  }

  /** Prepares the next question of a neg-risk market. */
  prepareQuestion(negRisk: string): Condition {
    const index = this.questionsOf(negRisk).length;
    const question = `${negRisk.slice(0, -2)}${index.toString(16).padStart(2, "0")}`;
    const condition = this.prepareCondition(
      market.negRiskAdapter,
      question,
      market.wrappedCollateral,
      negRisk,
    );
    this.emit(market.negRiskAdapter, "questionPrepared", [negRisk, question, BigInt(index), "0x"]);
    return condition;
  }

  /** Resolves a condition. */
  resolve(condition: Condition, numerators: readonly [bigint, bigint]): void {
    condition.numerators = numerators;
    const { id, oracle: resolver, question } = condition;
    this.emit(market.conditionalTokens, "resolved", [id, resolver, question, 2n, numerators]);
  }

  /** Splits at the token contract, in the name of an address. */
  split(owner: string, condition: Condition, amount: bigint, partition: readonly bigint[] = [1n, 2n]): void {
    const ids = partition.map((set) => condition.tokens[Number(set) - 1] as bigint);
    this.batch(owner, zeroAddress, owner, ids, [amount, amount]);
    this.emit(market.conditionalTokens, "split", [
      owner,
      condition.collateral,
      zeroHash,
      condition.id,
      partition,
      amount,
    ]);
  }

  /** Merges at the token contract, in the name of an address. */
  merge(owner: string, condition: Condition, amount: bigint): void {
    this.batch(owner, owner, zeroAddress, condition.tokens, [amount, amount]);
    this.emit(market.conditionalTokens, "merge", [
      owner,
      condition.collateral,
      zeroHash,
      condition.id,
      [1n, 2n],
      amount,
    ]);
  }

  /** Redeems everything that an address has of some index sets at the token contract. */
  redeem(owner: string, condition: Condition, sets: readonly bigint[] = [1n, 2n]): void {
    let payout = 0n;
    for (const set of sets) {
      const token = condition.tokens[Number(set) - 1] as bigint;
      const amount = this.balance(owner, token);
      if (amount === 0n) continue;
      payout += this.worth(condition, Number(set) - 1, amount);
      this.single(owner, owner, zeroAddress, token, amount);
    }
    this.emit(market.conditionalTokens, "redemption", [
      owner,
      condition.collateral,
      zeroHash,
      condition.id,
      sets,
      payout,
    ]);
  }

  /** Splits an outcome into collections within it, which burns the outcome. */
  nestedSplit(owner: string, condition: Condition, place: 0 | 1, amount: bigint): void {
    const token = condition.tokens[place];
    const within = [1, 2].map((set) =>
      BigInt(keccak256(solidityPacked(["uint256", "uint256"], [token, set]))),
    );
    this.single(owner, owner, zeroAddress, token, amount);
    this.batch(owner, zeroAddress, owner, within, [amount, amount]);
    this.emit(market.conditionalTokens, "split", [
      owner,
      condition.collateral,
      keccak256(toBeHex(token, 32)),
      condition.id,
      [1n, 2n],
      amount,
    ]);
  }

  /** Splits through the neg-risk adapter. */
  adapterSplit(owner: string, condition: Condition, amount: bigint): void {
    this.split(market.negRiskAdapter, condition, amount);
    this.pair(market.negRiskAdapter, owner, condition, [amount, amount]);
    this.emit(market.negRiskAdapter, "adapterSplit", [owner, condition.id, amount]);
  }

  /** Merges through the neg-risk adapter. */
  adapterMerge(owner: string, condition: Condition, amount: bigint): void {
    this.pair(owner, market.negRiskAdapter, condition, [amount, amount]);
    this.merge(market.negRiskAdapter, condition, amount);
    this.emit(market.negRiskAdapter, "adapterMerge", [owner, condition.id, amount]);
  }

  /** Redeems through the neg-risk adapter. */
  adapterRedeem(owner: string, condition: Condition, amounts: readonly [bigint, bigint]): void {
    this.pair(owner, market.negRiskAdapter, condition, amounts);
    this.redeem(market.negRiskAdapter, condition);
    const payout = amounts.reduce((sum, amount, place) => sum + this.worth(condition, place, amount), 0n);
    this.emit(market.negRiskAdapter, "adapterRedemption", [owner, condition.id, amounts, payout]);
  }

  /** Converts NOs of a neg-risk market: the bits of the index set are the questions' places. */
  convert(owner: string, negRisk: string, indexSet: bigint, amount: bigint): void {
    const questions = this.questionsOf(negRisk);
    const isConverted = (place: number): boolean => ((indexSet >> BigInt(place)) & 1n) === 1n;
    const no = questions.filter((_, place) => isConverted(place)).map(({ tokens }) => tokens[1]);
    const others = questions.filter((_, place) => !isConverted(place));
    const all = (list: readonly unknown[]): bigint[] => list.map(() => amount);
    this.batch(market.negRiskAdapter, owner, burnAddress, no, all(no));
    for (const condition of others) this.split(market.negRiskAdapter, condition, amount);
    if (others.length > 0) {
      const unwanted = others.map(({ tokens }) => tokens[1]);
      this.batch(market.negRiskAdapter, market.negRiskAdapter, burnAddress, unwanted, all(unwanted));
      const yes = others.map(({ tokens }) => tokens[0]);
      this.batch(market.negRiskAdapter, market.negRiskAdapter, owner, yes, all(yes));
    }
    this.emit(market.negRiskAdapter, "converted", [owner, negRisk, indexSet, amount]);
  }

  /** Splits through an adapter of the second version. */
  wrappedSplit(owner: string, condition: Condition, amount: bigint): void {
    const adapter = wrapperOf(condition);
    if (condition.negRisk) this.adapterSplit(adapter, condition, amount);
    else this.split(adapter, condition, amount);
    this.pair(adapter, owner, condition, [amount, amount]);
  }

  /** Merges through an adapter of the second version. */
  wrappedMerge(owner: string, condition: Condition, amount: bigint): void {
    const adapter = wrapperOf(condition);
    this.pair(owner, adapter, condition, [amount, amount]);
    if (condition.negRisk) this.adapterMerge(adapter, condition, amount);
    else this.merge(adapter, condition, amount);
  }

  /** Redeems everything through an adapter of the second version. */
  wrappedRedeem(owner: string, condition: Condition): void {
    const adapter = wrapperOf(condition);
    const [first, second] = condition.tokens;
    const amounts = [this.balance(owner, first), this.balance(owner, second)] as const;
    this.pair(owner, adapter, condition, amounts);
    if (condition.negRisk) this.adapterRedeem(adapter, condition, amounts);
    else this.redeem(adapter, condition);
  }

  /** Converts through the neg-risk adapter of the second version. */
  wrappedConvert(owner: string, negRisk: string, indexSet: bigint, amount: bigint): void {
    const adapter = market.negRiskCtfAdapter;
    const questions = this.questionsOf(negRisk);
    const isConverted = (place: number): boolean => ((indexSet >> BigInt(place)) & 1n) === 1n;
    const no = questions.filter((_, place) => isConverted(place)).map(({ tokens }) => tokens[1]);
    const yes = questions.filter((_, place) => !isConverted(place)).map(({ tokens }) => tokens[0]);
    const all = (list: readonly unknown[]): bigint[] => list.map(() => amount);
    this.batch(adapter, owner, adapter, no, all(no));
    this.convert(adapter, negRisk, indexSet, amount);
    this.batch(adapter, adapter, owner, yes, all(yes));
  }

  /** Moves a token between addresses. */
  single(caller: string, from: string, to: string, token: bigint, value: bigint): void {
    this.move(from, to, token, value);
    this.emit(market.conditionalTokens, "single", [caller, from, to, token, value]);
  }

  /** Moves tokens between addresses. */
  batch(caller: string, from: string, to: string, ids: readonly bigint[], values: readonly bigint[]): void {
    for (const [place, token] of ids.entries()) this.move(from, to, token, values[place] as bigint);
    this.emit(market.conditionalTokens, "batch", [caller, from, to, ids, values]);
  }

  /** The owner of a resting order trades with the operator. */
  fillAlone(
    condition: Condition,
    outcome: 0 | 1,
    isBuy: boolean,
    fill: Omit<MakerFill, "isComplementary">,
  ): void {
    const exchange = exchangeOf(condition, 1);
    const token = condition.tokens[outcome];
    if (isBuy) this.single(exchange, operator, fill.maker, token, fill.shares - fill.fee);
    else this.single(exchange, fill.maker, operator, token, fill.shares);
    this.fill1(exchange, fill, fill.maker, operator, isBuy, token);
  }

  /** Matches orders at the first exchange, called by a fee module if there are refunds. */
  match1(match: Match, throughModule: boolean): void {
    const { condition, outcome, isBuy, taker, order } = match;
    const exchange = exchangeOf(condition, 1);
    const module = condition.negRisk ? market.negRiskFeeModule : market.feeModule;
    const receiver = throughModule ? module : operator;
    const token = condition.tokens[outcome];
    const other = condition.tokens[1 - outcome] as bigint;
    const { shares, usdc } = takerAmounts(match);
    const charge = (id: bigint, fee: bigint): void => {
      if (fee > 0n) this.single(exchange, exchange, receiver, id, fee);
    };
    if (!isBuy) this.single(exchange, taker, exchange, token, shares);
    for (const fill of match.makers) {
      const makerBuys = fill.isComplementary ? !isBuy : isBuy;
      const makerToken = fill.isComplementary ? token : other;
      if (!makerBuys) this.single(exchange, fill.maker, exchange, makerToken, fill.shares);
      if (!fill.isComplementary) this.exchangePair(exchange, condition, fill.shares, isBuy);
      if (makerBuys) {
        this.single(exchange, exchange, fill.maker, makerToken, fill.shares - fill.fee);
        charge(makerToken, fill.fee);
      }
      this.fill1(exchange, fill, fill.maker, taker, makerBuys, makerToken);
    }
    if (isBuy) {
      this.single(exchange, exchange, taker, token, shares - match.fee);
      charge(token, match.fee);
    }
    const offered = isBuy ? usdc + (match.surplus ?? 0n) : usdc;
    this.fill1(exchange, { order, usdc: offered, shares, fee: match.fee }, taker, exchange, isBuy, token);
    const [assets, amounts] = sides(isBuy, token, offered, shares);
    this.emit(exchange, "matched1", [order, taker, ...assets, ...amounts]);
    if (!throughModule) return;
    const refund = (hash: string, to: string, buys: boolean, id: bigint, fee: bigint, back = 0n): void => {
      if (back === 0n) return;
      if (buys) this.single(module, module, to, id, back);
      this.emit(module, "refund", [hash, to, buys ? id : 0n, back, fee - back]);
    };
    refund(order, taker, isBuy, token, match.fee, match.refund);
    for (const fill of match.makers) {
      const makerBuys = fill.isComplementary ? !isBuy : isBuy;
      refund(fill.order, fill.maker, makerBuys, fill.isComplementary ? token : other, fill.fee, fill.refund);
    }
  }

  /** Matches orders at an exchange of the second version. Fees are collateral. */
  match2(match: Match, exchange: string): void {
    const { condition, outcome, isBuy, taker } = match;
    const token = condition.tokens[outcome];
    const other = condition.tokens[1 - outcome] as bigint;
    const { shares, usdc } = takerAmounts(match);
    const isDirect = match.makers.every(({ isComplementary }) => isComplementary);
    const settle = (fill: MakerFill): void => {
      const makerBuys = fill.isComplementary ? !isBuy : isBuy;
      const makerToken = fill.isComplementary ? token : other;
      if (isDirect && makerBuys) this.single(exchange, taker, fill.maker, makerToken, fill.shares);
      else if (isDirect) this.single(exchange, fill.maker, taker, makerToken, fill.shares);
      else if (makerBuys) this.single(exchange, exchange, fill.maker, makerToken, fill.shares);
      this.fill2(exchange, fill, fill.maker, taker, makerBuys, makerToken, match.builder);
    };
    if (!isDirect) {
      if (!isBuy) this.single(exchange, taker, exchange, token, shares);
      for (const fill of match.makers) {
        const makerSells = fill.isComplementary ? isBuy : !isBuy;
        if (makerSells)
          this.single(exchange, fill.maker, exchange, fill.isComplementary ? token : other, fill.shares);
      }
      const paired = match.makers.filter(({ isComplementary }) => !isComplementary);
      const amount = paired.reduce((sum, fill) => sum + fill.shares, 0n);
      if (isBuy) this.wrappedSplit(exchange, condition, amount);
      else this.wrappedMerge(exchange, condition, amount);
    }
    for (const fill of match.makers) settle(fill);
    if (!isDirect && isBuy) this.single(exchange, exchange, taker, token, shares);
    const own = { order: match.order, usdc, shares, fee: match.fee };
    this.fill2(exchange, own, taker, exchange, isBuy, token, match.builder);
    const [, amounts] = sides(isBuy, token, usdc, shares);
    this.emit(exchange, "matched2", [match.order, taker, isBuy ? 0n : 1n, token, ...amounts]);
  }

  /** Emits a log as it is. */
  emit(address: string, event: EventName, values: readonly unknown[]): void {
    this.logs.push({ address, event, values });
  }

  private prepareCondition(by: string, question: string, collateral: string, negRisk?: string): Condition {
    const id = conditionOf(by, question);
    const token = (set: number): bigint =>
      BigInt(keccak256(solidityPacked(["bytes32", "uint256"], [id, set])));
    const condition = {
      id,
      oracle: by,
      question,
      collateral,
      tokens: [token(1), token(2)] as const,
      ...(negRisk !== undefined && { negRisk }),
    };
    this.conditions.push(condition);
    this.emit(market.conditionalTokens, "prepared", [id, by, question, 2n]);
    return condition;
  }

  private nextHash(of: string): string {
    this.questions += 1;
    return keccak256(toUtf8Bytes(`${of} ${this.questions}`));
  }

  private worth(condition: Condition, place: number, amount: bigint): bigint {
    const numerators = condition.numerators;
    if (!numerators) throw new Error("the condition is not resolved");
    return (amount * (numerators[place] ?? 0n)) / numerators.reduce((sum, numerator) => sum + numerator, 0n);
  }

  private exchangePair(exchange: string, condition: Condition, amount: bigint, isMint: boolean): void {
    if (condition.negRisk && isMint) this.adapterSplit(exchange, condition, amount);
    else if (condition.negRisk) this.adapterMerge(exchange, condition, amount);
    else if (isMint) this.split(exchange, condition, amount);
    else this.merge(exchange, condition, amount);
  }

  private pair(from: string, to: string, { tokens }: Condition, amounts: readonly bigint[]): void {
    this.batch(to === market.negRiskAdapter ? to : from, from, to, tokens, amounts);
  }

  private fill1(
    exchange: string,
    fill: Pick<MakerFill, "order" | "usdc" | "shares" | "fee">,
    maker: string,
    taker: string,
    isBuy: boolean,
    token: bigint,
  ): void {
    const [assets, amounts] = sides(isBuy, token, fill.usdc, fill.shares);
    this.emit(exchange, "fill1", [fill.order, maker, taker, ...assets, ...amounts, fill.fee]);
  }

  private fill2(
    exchange: string,
    fill: Pick<MakerFill, "order" | "usdc" | "shares" | "fee">,
    maker: string,
    taker: string,
    isBuy: boolean,
    token: bigint,
    builder = zeroHash,
  ): void {
    const [, amounts] = sides(isBuy, token, fill.usdc, fill.shares);
    const side = isBuy ? 0n : 1n;
    this.emit(exchange, "fill2", [
      fill.order,
      maker,
      taker,
      side,
      token,
      ...amounts,
      fill.fee,
      builder,
      zeroHash,
    ]);
  }

  private move(from: string, to: string, token: bigint, value: bigint): void {
    this.change(from, token, -value);
    this.change(to, token, value);
  }

  private change(owner: string, token: bigint, value: bigint): void {
    if (owner === zeroAddress) return;
    const next = this.balance(owner, token) + value;
    if (next < 0n) throw new Error(`${owner} has too little of ${token}`);
    this.held.set(`${owner} ${token}`, next);
  }
}

/** The exchange of a condition. */
export function exchangeOf({ negRisk }: Condition, version: 1 | 2): string {
  if (version === 1) return negRisk ? market.negRiskExchange1 : market.exchange1;
  return negRisk ? market.negRiskExchange2 : market.exchange2;
}

function wrapperOf({ negRisk }: Condition): string {
  return negRisk ? market.negRiskCtfAdapter : market.ctfAdapter;
}

/** What a taker gives and gets: of a maker with the other token, what is left of a dollar for each share. */
function takerAmounts({ makers }: Match): { readonly shares: bigint; readonly usdc: bigint } {
  const usdc = makers.map((fill) => (fill.isComplementary ? fill.usdc : fill.shares - fill.usdc));
  const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((total, number) => total + number, 0n);
  return { shares: sum(makers.map(({ shares }) => shares)), usdc: sum(usdc) };
}

/** Asset ids and amounts of an order, the maker's first. */
function sides(isBuy: boolean, token: bigint, usdc: bigint, shares: bigint) {
  if (isBuy) return [[0n, token] as const, [usdc, shares] as const] as const;
  return [[token, 0n] as const, [shares, usdc] as const] as const;
}
