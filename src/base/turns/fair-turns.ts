import { RoundRobin } from "./round-robin.js";

/** How much work runs at once. */
export interface FairPlaces {
  readonly atOnce: number;
  readonly atOnceOfOne: number;
}

/** How much work runs at once, and how much may wait. */
export interface FairLimits extends FairPlaces {
  /** How many tasks of one asker may wait. */
  readonly waitingOfOne: number;
  /** Says why work is refused, and what to do. */
  readonly refusal: string;
}

/** Too much work of one asker is already waiting. */
export class TooMuchWaitingError extends Error {
  override readonly name = "TooMuchWaitingError";
  /** Seconds after which another try may succeed. */
  readonly retryAfter: number;

  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}

/** Seconds after which to try again. */
const secondsToWait = 5;

/**
 * A semaphore shared by askers: waiting askers take turns, none gets more than its share of the places, and each may
 * have only a limited number of waiting tasks.
 */
export class FairTurns {
  readonly #limits: FairPlaces | FairLimits;
  readonly #line = new RoundRobin<() => void>();
  readonly #running = new Map<string, number>();
  #all = 0;

  /** @param limits if they do not limit waiting work, the caller must */
  constructor(limits: FairPlaces | FairLimits) {
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Runs work in its turn.
   * @param signal takes waiting work out of the line; the work itself must check it once it runs
   * @throws TooMuchWaitingError, the signal's reason, and errors of the work
   */
  async run<Result>(asker: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const placed = this.#place(asker, signal);
    // Work with a free place starts without awaiting anything.
    if (placed) await placed;
    try {
      return await work();
    } finally {
      this.#count(asker, -1);
      this.#next();
    }
  }

  #place(asker: string, signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    if (this.#all < this.#limits.atOnce && this.#mayRun(asker)) {
      this.#count(asker, 1);
      return undefined;
    }
    const limits = this.#limits;
    if ("refusal" in limits && this.#line.sizeOf(asker) >= limits.waitingOfOne)
      throw new TooMuchWaitingError(limits.refusal, secondsToWait);
    return new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        if (this.#line.remove(asker, begin)) reject(signal?.reason);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#line.push(asker, begin);
    });
  }

  #mayRun(asker: string): boolean {
    return (this.#running.get(asker) ?? 0) < this.#limits.atOnceOfOne;
  }

  #next(): void {
    while (this.#all < this.#limits.atOnce) {
      let next = "";
      const begin = this.#line.shift((asker) => {
        next = asker;
        return this.#mayRun(asker);
      });
      if (!begin) return;
      // Count it before it starts, so that no other work takes its place.
      this.#count(next, 1);
      begin();
    }
  }

  #count(asker: string, change: 1 | -1): void {
    const count = (this.#running.get(asker) ?? 0) + change;
    this.#all += change;
    if (count === 0) this.#running.delete(asker);
    else this.#running.set(asker, count);
  }
}
