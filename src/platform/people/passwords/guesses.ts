import { RateLimiter, type RequestRate } from "../../rate-limiter.js";

/** The origin of an attempt to sign in. */
export interface Place {
  /** An IPv4 address, or the first half of an IPv6 address. */
  readonly network: string;
  /** Whether the owner of the account has signed in from there before. */
  readonly isKnownNetwork: boolean;
  /** A browser that the owner has signed in with before. */
  readonly browser?: string | undefined;
}

/** Maximum failures in a period. */
const rates = {
  /** For one account, from one network or one browser. */
  place: { requests: 10, seconds: 300 },
  /** For one account, from all networks and browsers without an earlier sign-in. */
  strangers: { requests: 100, seconds: 3600 },
} as const satisfies Readonly<Record<string, RequestRate>>;

/**
 * Limits how often passwords can be guessed. It counts failures, and counts an attempt as failed until it succeeds.
 * Strangers cannot lock people out of their own accounts: a browser with an earlier sign-in has its own count, and so
 * has a network with one.
 */
export class Guesses {
  readonly #network: RateLimiter;
  readonly #places: RateLimiter;
  readonly #strangers: RateLimiter;

  /** @param now milliseconds @param network counts attempts from one network, on any account */
  constructor(now: () => number, network: RateLimiter) {
    this.#network = network;
    this.#places = new RateLimiter(rates.place, now);
    this.#strangers = new RateLimiter(rates.strangers, now);
  }

  /**
   * Counts a guess as wrong until it proves to be right.
   * @returns a function that takes the count back
   * @throws Problem `rate-limited` after too many wrong guesses
   */
  begin(account: string, place: Place): () => void {
    const taken: (() => void)[] = [];
    const take = (limiter: RateLimiter, name: string): void => {
      limiter.take(name);
      taken.push(() => limiter.giveBack(name));
    };
    const { network, browser, isKnownNetwork } = place;
    if (browser !== undefined) take(this.#places, `${account} browser ${browser}`);
    else {
      take(this.#network, network);
      take(this.#places, `${account} network ${network}`);
      if (!isKnownNetwork) take(this.#strangers, account);
    }
    return () => {
      for (const giveBack of taken) giveBack();
    };
  }

  /**
   * Begins an attempt of a signed-in person who repeats their password.
   * @param session the id of the session
   */
  beginAgain(session: string): () => void {
    const name = `session ${session}`;
    this.#places.take(name);
    return () => this.#places.giveBack(name);
  }
}
