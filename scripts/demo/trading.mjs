import { amount } from "./chance.mjs";

const most = (1n << 256n) - 1n;

/** People who trade on markets, and what they do next. */
export class Trading {
  #chance;
  #recorder;
  #people;
  #markets;
  #step = 0;

  /** @param markets each with its contract, its tokens and what its base token is worth */
  constructor(chance, recorder, people, markets) {
    this.#chance = chance;
    this.#recorder = recorder;
    this.#people = people;
    this.#markets = markets;
  }

  /** What everybody starts with. */
  endowments(tokens) {
    return this.#people.flatMap((person) =>
      tokens.map(({ token, middle }) =>
        token.call("transfer", [person, amount(this.#chance.around(middle, 0.8), token.decimals)]),
      ),
    );
  }

  approvals() {
    return this.#people.flatMap((from) =>
      this.#markets.flatMap(({ contract, base, quote }) => [
        base.call("approve", [contract.address, most], from),
        quote.call("approve", [contract.address, most], from),
      ]),
    );
  }

  /** What happens in the next block. @param busy how many transactions there are about */
  next(busy) {
    this.#step += 1;
    const number = Math.max(0, Math.round(this.#chance.around(busy, 0.6)));
    // One for each person, since what one does changes what is left to do.
    const free = new Set(this.#people);
    const sendings = [];
    for (let index = 0; index < number; index++) {
      const person = this.#chance.of([...free]);
      if (person === undefined) break;
      const sending = this.#something(person);
      if (!sending) continue;
      free.delete(person);
      sendings.push(sending);
    }
    return sendings;
  }

  #something(person) {
    const market = this.#chance.is(0.72) ? this.#markets[0] : this.#markets[1];
    const what = this.#chance.next();
    if (what < 0.64) return this.#trade(person, market);
    if (what < 0.88) return this.#pay(person, market);
    return what < 0.95 ? this.#deposit(person, market) : this.#withdraw(person, market);
  }

  #trade(person, { contract, base, quote, price, size }) {
    const reserves = ["baseReserve", "quoteReserve"].map((name) => this.#recorder.answer(contract, name));
    const now = number(reserves[1], quote) / number(reserves[0], base);
    const wanted = price * (1 + 0.035 * Math.sin(this.#step / 70) + 0.018 * Math.sin(this.#step / 17));
    const buys = this.#chance.is(now < wanted ? 0.66 : 0.34);
    const value = Math.min(this.#chance.around(size, 1.1), 0.02 * number(reserves[1], quote));
    const [token, paid] = buys
      ? [quote, amount(value, quote.decimals)]
      : [base, amount(value / now, base.decimals)];
    if (paid === 0n || this.#balance(token, person) < paid) return undefined;
    return contract.call(buys ? "buy" : "sell", [paid, 0n], person);
  }

  #pay(person, { base, quote, size, price }) {
    const token = this.#chance.is(0.7) ? quote : base;
    const value = this.#chance.around(size / 4, 1.2);
    const paid = amount(token === quote ? value : value / price, token.decimals, 2);
    const to = this.#chance.of(this.#people);
    if (to === person || paid === 0n || this.#balance(token, person) < paid) return undefined;
    return token.call("transfer", [to, paid], person);
  }

  #deposit(person, { contract, base, quote, size, price }) {
    const value = this.#chance.around(size * 3, 0.7);
    const given = amount(value / price, base.decimals);
    const needed = amount(value * 1.2, quote.decimals);
    if (this.#balance(base, person) < given || this.#balance(quote, person) < needed) return undefined;
    return contract.call("deposit", [given, needed], person);
  }

  #withdraw(person, { contract }) {
    const shares = this.#recorder.answer(contract, "sharesOf", [person]);
    const part = this.#chance.of([2n, 3n, 4n]);
    return shares < 1_000_000n ? undefined : contract.call("withdraw", [shares / part], person);
  }

  #balance(token, person) {
    return this.#recorder.answer(token, "balanceOf", [person]);
  }
}

function number(value, { decimals }) {
  return Number(value) / 10 ** decimals;
}
