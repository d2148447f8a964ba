import { TooMuchWaitingError } from "./fair-turns.js";

/** How many bytes askers may hold at a time. */
export interface ByteLimits {
  readonly all: number;
  readonly one: number;
  /** Says why work is refused, and what to do. */
  readonly refusal: string;
}

/** Seconds after which to try again. */
const secondsToWait = 10;

/** Memory that callers share, such as for uploads in progress. */
export class ByteShares {
  readonly #limits: ByteLimits;
  readonly #held = new Map<string, number>();
  #all = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /**
   * Runs work that holds some bytes. It starts at once or is refused.
   * @throws TooMuchWaitingError, and errors of the work
   */
  async hold<Result>(asker: string, bytes: number, work: () => Promise<Result>): Promise<Result> {
    const own = this.#held.get(asker) ?? 0;
    // The only work is always admitted: its size is limited elsewhere.
    const isTooMuch =
      (own > 0 && own + bytes > this.#limits.one) || (this.#all > 0 && this.#all + bytes > this.#limits.all);
    if (isTooMuch) throw new TooMuchWaitingError(this.#limits.refusal, secondsToWait);
    this.#change(asker, bytes);
    try {
      return await work();
    } finally {
      this.#change(asker, -bytes);
    }
  }

  #change(asker: string, bytes: number): void {
    const held = (this.#held.get(asker) ?? 0) + bytes;
    this.#all += bytes;
    if (held <= 0) this.#held.delete(asker);
    else this.#held.set(asker, held);
  }
}
