import { keccak256, toUtf8Bytes } from "ethers";
import type { Draw } from "../pool/draw.js";
import { market } from "./contracts.js";
import type { MadeLog } from "./market-log.js";
import { type Condition, exchangeOf, type MakerFill, operator, SimulatedMarket } from "./simulated-market.js";

/** What a random market leaves out. */
export interface RandomOptions {
  /** Orders through which wallets pay fees, and offers of which a part comes back. Default: true. */
  readonly withFees?: boolean;
  /** Transfers between wallets. Default: true. */
  readonly withTransfers?: boolean;
  /** Default: true. */
  readonly withConversions?: boolean;
}

/** A market in which wallets do anything they can. */
export class RandomMarket {
  /** How many matches there were. */
  matches = 0;
  private orders = 0;
  private readonly resting = new Map<string, string>();

  readonly simulated: SimulatedMarket;
  private readonly draw: Draw;
  private readonly options: RandomOptions;

  constructor(draw: Draw, options: RandomOptions = {}, simulated = new SimulatedMarket()) {
    this.draw = draw;
    this.options = options;
    this.simulated = simulated;
  }

  /** A copy at a fork of the chain: what it does from now on is another random course. */
  fork(draw: Draw): RandomMarket {
    const fork = new RandomMarket(draw, this.options, this.simulated.copy());
    fork.orders = this.orders;
    for (const [key, order] of this.resting) fork.resting.set(key, order);
    return fork;
  }

  /** The logs of the first transactions: conditions, and tokens for every wallet. */
  open(): readonly (readonly MadeLog[])[] {
    const transactions: (readonly MadeLog[])[] = [];
    const { simulated } = this;
    for (let count = 0; count < 3; count++) simulated.prepare();
    for (let count = 0; count < 2; count++) {
      const negRisk = simulated.prepareNegRisk();
      for (let question = 0; question < 3 + count; question++) simulated.prepareQuestion(negRisk);
    }
    transactions.push(simulated.take());
    for (const condition of simulated.conditions) {
      for (const wallet of [...wallets, operator]) {
        if (condition.negRisk) simulated.adapterSplit(wallet, condition, 1_000_000n + this.amount());
        else simulated.split(wallet, condition, 1_000_000n + this.amount());
      }
      transactions.push(simulated.take());
    }
    return transactions;
  }

  /** The logs of the next transaction, which does one or two things. */
  next(): readonly MadeLog[] {
    for (;;) {
      this.act();
      if (this.draw.happens(0.2)) this.act();
      const logs = this.simulated.take();
      if (logs.length > 0) return logs;
    }
  }

  private act(): void {
    const condition = this.draw.one(this.simulated.conditions);
    const wallet = this.draw.one(wallets);
    const kind = this.draw.chance();
    if (kind < 0.6) this.match(condition, wallet);
    else if (kind < 0.65) this.fillAlone(condition, wallet);
    else if (kind < 0.71) this.split(condition, wallet);
    else if (kind < 0.77) this.merge(condition, wallet);
    else if (kind < 0.84) this.convert(condition, wallet);
    else if (kind < 0.92) this.transfer(wallet);
    else if (kind < 0.95) this.redeem(wallet);
    else if (kind < 0.985) this.resolve(condition);
    else this.add(condition);
  }

  private match(condition: Condition, taker: string): void {
    if (condition.numerators) return;
    const { draw, simulated } = this;
    const outcome = draw.below(2) as 0 | 1;
    const isBuy = draw.happens(0.5);
    const token = condition.tokens[outcome];
    const other = condition.tokens[1 - outcome] as bigint;
    // What is left to sell: several makers may sell of one wallet's tokens.
    const left = new Map<string, bigint>();
    const take = (owner: string, id: bigint, wanted: bigint): bigint => {
      const has = left.get(`${owner} ${id}`) ?? simulated.balance(owner, id);
      const amount = wanted < has ? wanted : has;
      left.set(`${owner} ${id}`, has - amount);
      return amount;
    };
    const version = draw.happens(0.5) ? 1 : 2;
    const makers: MakerFill[] = [];
    const allDirect = draw.happens(0.4);
    for (let count = 1 + draw.below(4); count > 0; count--) {
      const maker = draw.one(wallets.filter((one) => one !== taker));
      const isComplementary = allDirect || draw.happens(0.5);
      const makerBuys = isComplementary ? !isBuy : isBuy;
      let shares = this.amount();
      if (!makerBuys) shares = take(maker, isComplementary ? token : other, shares);
      if (!isBuy) shares = take(taker, token, shares);
      if (shares === 0n) continue;
      const usdc = (shares * BigInt(1 + draw.below(99))) / 100n;
      const fee = version === 1 ? this.fee(makerBuys ? shares : usdc) : 0n;
      const order = this.order(`${maker} ${isComplementary ? token : other} ${makerBuys}`);
      makers.push({ order, maker, isComplementary, usdc, shares, fee, refund: this.refund(fee) });
    }
    if (makers.length === 0) return;
    this.matches += 1;
    const shares = makers.reduce((sum, fill) => sum + fill.shares, 0n);
    const fee = this.fee(version === 1 && isBuy ? shares : shares / 50n);
    const order = this.order(`${taker} ${token} ${isBuy}`);
    const surplus = this.options.withFees !== false && draw.happens(0.1) ? this.amount() / 10n : 0n;
    const match = { condition, outcome, isBuy, order, taker, makers, fee, refund: this.refund(fee), surplus };
    if (version === 1) {
      simulated.match1(match, draw.happens(0.5));
      return;
    }
    const exchange = draw.happens(0.2) ? market.thirdExchange2 : exchangeOf(condition, 2);
    const builder = draw.happens(0.3) ? { builder: keccak256(toUtf8Bytes("builder")) } : {};
    simulated.match2({ ...match, ...builder }, exchange);
  }

  private fillAlone(condition: Condition, maker: string): void {
    // The operator's side does not count as activity, so cash does not add up.
    if (condition.numerators || this.options.withFees === false) return;
    const outcome = this.draw.below(2) as 0 | 1;
    const isBuy = this.draw.happens(0.5);
    const shares = smaller(
      this.amount(),
      this.simulated.balance(isBuy ? operator : maker, condition.tokens[outcome]),
    );
    if (shares === 0n) return;
    const usdc = (shares * BigInt(1 + this.draw.below(99))) / 100n;
    const order = this.order(`${maker} ${condition.tokens[outcome]} ${isBuy}`);
    this.simulated.fillAlone(condition, outcome, isBuy, { order, maker, usdc, shares, fee: 0n });
  }

  private split(condition: Condition, wallet: string): void {
    const { simulated, draw } = this;
    const amount = this.amount();
    if (draw.happens(0.4)) simulated.wrappedSplit(wallet, condition, amount);
    else if (condition.negRisk) simulated.adapterSplit(wallet, condition, amount);
    else simulated.split(wallet, condition, amount, draw.happens(0.2) ? [2n, 1n] : [1n, 2n]);
  }

  private merge(condition: Condition, wallet: string): void {
    const { simulated, draw } = this;
    const [first, second] = condition.tokens;
    const most = smaller(simulated.balance(wallet, first), simulated.balance(wallet, second));
    const amount = smaller(this.amount(), most);
    if (amount === 0n) return;
    if (draw.happens(0.4)) simulated.wrappedMerge(wallet, condition, amount);
    else if (condition.negRisk) simulated.adapterMerge(wallet, condition, amount);
    else simulated.merge(wallet, condition, amount);
  }

  private convert({ negRisk }: Condition, wallet: string): void {
    if (!negRisk || this.options.withConversions === false) return;
    const { simulated, draw } = this;
    const questions = simulated.questionsOf(negRisk);
    const chosen = questions.map(() => draw.happens(0.5));
    if (!chosen.includes(true)) chosen[0] = true;
    const isAll = !chosen.includes(false);
    if (isAll && this.options.withFees === false) return;
    const held = questions
      .filter((_, place) => chosen[place])
      .map(({ tokens }) => simulated.balance(wallet, tokens[1]));
    const amount = held.reduce(smaller, this.amount());
    if (amount === 0n) return;
    const set = chosen.reduce((sum, isIn, place) => sum + (isIn ? 1n << BigInt(place) : 0n), 0n);
    if (draw.happens(0.3) && !isAll) simulated.wrappedConvert(wallet, negRisk, set, amount);
    else simulated.convert(wallet, negRisk, set, amount);
  }

  private transfer(from: string): void {
    if (this.options.withTransfers === false) return;
    const { simulated, draw } = this;
    const to = draw.one(wallets);
    const ids = simulated.conditions.flatMap(({ tokens }) => tokens);
    const first = draw.one(ids);
    const amount = smaller(this.amount(), simulated.balance(from, first) / 2n);
    if (draw.happens(0.5)) {
      simulated.single(from, from, to, first, amount);
      return;
    }
    const second = draw.one(ids);
    const values = [amount, 0n, amount, smaller(1_000n, simulated.balance(from, second) / 4n)];
    if (second === first) return;
    simulated.batch(from, from, to, [first, second, first, second], values);
  }

  private redeem(wallet: string): void {
    const { simulated, draw } = this;
    const resolved = simulated.conditions.filter(({ numerators }) => numerators);
    if (resolved.length === 0) return;
    const condition = draw.one(resolved);
    if (draw.happens(0.3)) {
      simulated.wrappedRedeem(wallet, condition);
    } else if (condition.negRisk) {
      const part = draw.happens(0.5) ? 2n : 1n;
      const [first, second] = condition.tokens;
      const amounts = [
        simulated.balance(wallet, first) / part,
        simulated.balance(wallet, second) / part,
      ] as const;
      simulated.adapterRedeem(wallet, condition, amounts);
    } else {
      const sets = [[1n, 2n], [1n, 2n], [2n, 1n], [1n], [2n], [1n, 1n], [2n, 2n, 1n], [1n, 2n, 1n]];
      if (this.options.withTransfers !== false && draw.happens(0.3)) this.nest(wallet, condition);
      simulated.redeem(wallet, condition, draw.one(sets));
    }
  }

  /** Splits some of an outcome into collections within it. */
  private nest(wallet: string, condition: Condition): void {
    const { simulated, draw } = this;
    const place = draw.below(2) as 0 | 1;
    const amount = smaller(this.amount(), simulated.balance(wallet, condition.tokens[place]));
    if (amount > 0n) simulated.nestedSplit(wallet, condition, place, amount);
  }

  private resolve(condition: Condition): void {
    const open = this.simulated.conditions.filter(({ numerators }) => !numerators);
    if (condition.numerators || open.length <= 4) return;
    this.simulated.resolve(
      condition,
      this.draw.one([
        [1n, 0n],
        [0n, 1n],
        [1n, 1n],
        [2n, 5n],
      ] as const),
    );
  }

  private add({ negRisk }: Condition): void {
    const { simulated } = this;
    const isOpen = negRisk !== undefined && simulated.questionsOf(negRisk).length < 8;
    if (isOpen) simulated.prepareQuestion(negRisk);
    else simulated.prepare();
  }

  /** Units of 1e-6; rarely only a few, so that something rounds to nothing. */
  private amount(): bigint {
    return BigInt(this.draw.happens(0.05) ? 1 + this.draw.below(5) : 1 + this.draw.below(3_000_000));
  }

  private fee(of: bigint): bigint {
    if (this.options.withFees === false || this.draw.happens(0.4)) return 0n;
    return (of * BigInt(this.draw.below(20))) / 1_000n;
  }

  private refund(fee: bigint): bigint {
    return this.draw.happens(0.3) ? fee : (fee * BigInt(this.draw.below(10))) / 10n;
  }

  /** The hash of an order: often of one that has been filled in part before. */
  private order(of: string): string {
    const known = this.resting.get(of);
    if (known !== undefined && this.draw.happens(0.6)) return known;
    this.orders += 1;
    const order = keccak256(toUtf8Bytes(`order ${this.orders}`));
    this.resting.set(of, order);
    return order;
  }
}

/** Those who trade. */
export const wallets: readonly string[] = [1, 2, 3, 4, 5, 6].map((digit) => `0x${`c${digit}`.repeat(20)}`);

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
