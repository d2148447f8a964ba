import { RateLimiter, type RequestRate } from "../rate-limiter.js";

/** From where somebody tries a password. */
export interface Place {
  /** Of the network: an IPv4 address, or the first half of an IPv6 address. */
  readonly network: string;
  /** Whether whose account it is has signed in from there before. */
  readonly isKnownNetwork: boolean;
  /** The browser that they have signed in with before. */
  readonly browser?: string | undefined;
}

/** So many failures in so much time. */
const rates = {
  /** Of one account, from one network or with one browser. */
  place: { requests: 10, seconds: 300 },
  /** Of one account, from all networks and browsers that nobody has signed in to it from. */
  strangers: { requests: 100, seconds: 3600 },
} as const satisfies Readonly<Record<string, RequestRate>>;

/**
 * Bounds how often passwords are guessed. What fails is counted, and while it is tried it counts as failed. Strangers
 * keep nobody out of their own account: a browser that they have signed in with is judged by itself, and a network
 * that they have signed in from by what comes from there.
 */
export class Guesses {
  readonly #network: RateLimiter;
  readonly #places: RateLimiter;
  readonly #strangers: RateLimiter;

  /** @param now milliseconds @param network counts attempts from one network, whatever is tried */
  constructor(now: () => number, network: RateLimiter) {
    this.#network = network;
    this.#places = new RateLimiter(rates.place, now);
    this.#strangers = new RateLimiter(rates.strangers, now);
  }

  /**
   * Counts a guess as wrong until it is known to be right.
   * @returns takes it back
   * @throws Problem `rate-limited` after too many that were wrong
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

  /** The same for who is signed in and says their password again. @param session its id */
  beginAgain(session: string): () => void {
    const name = `session ${session}`;
    this.#places.take(name);
    return () => this.#places.giveBack(name);
  }
}
