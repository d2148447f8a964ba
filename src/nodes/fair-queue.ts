import { reportFailure } from "../base/failures.js";
import { inBackground } from "../base/guarded.js";
import { RoundRobin } from "../base/round-robin.js";
import { wait } from "../base/wait.js";
import type { World } from "../base/world.js";

/** The limits on requests to a network's nodes. */
export interface NodeLimits {
  /** The maximum number of concurrent exchanges. */
  readonly concurrency: number;
  /** Requests per second; no limit by default. */
  readonly requestsPerSecond?: number;
}

interface Waiting {
  readonly requests: number;
  readonly go: () => void;
}

/**
 * A semaphore with a round-robin queue and a token bucket. Callers take turns, one exchange each. It does not use
 * `Semaphore`, because a free place is useless while the bucket is empty.
 */
export class FairQueue {
  readonly #limits: NodeLimits;
  readonly #world: Pick<World, "now" | "timeout">;
  readonly #signal: AbortSignal;
  readonly #waiting = new RoundRobin<Waiting>();
  #running = 0;
  /** The number of requests that may be sent now. Below 0, requests were sent in advance. */
  #budget: number;
  #filledAt: number;
  #isWaiting = false;

  constructor(limits: NodeLimits, world: Pick<World, "now" | "timeout">, signal: AbortSignal) {
    this.#limits = limits;
    this.#world = world;
    this.#signal = signal;
    this.#budget = limits.requestsPerSecond ?? 0;
    this.#filledAt = world.now();
  }

  /** Runs work when it is the caller's turn. @param requests how much of the budget it takes */
  async take<Result>(asker: string, requests: number, work: () => Promise<Result>): Promise<Result> {
    await new Promise<void>((go) => {
      this.#waiting.push(asker, { requests, go });
      this.#next();
    });
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#next();
    }
  }

  #next(): void {
    while (this.#running < this.#limits.concurrency && this.#waiting.size > 0) {
      if (!this.#hasBudget()) {
        inBackground(this.#waitForBudget(), reportFailure);
        return;
      }
      const waiting = this.#waiting.shift();
      if (!waiting) return;
      this.#running += 1;
      this.#budget -= waiting.requests;
      waiting.go();
    }
  }

  #hasBudget(): boolean {
    const { requestsPerSecond: rate } = this.#limits;
    if (rate === undefined) return true;
    const now = this.#world.now();
    this.#budget = Math.min(rate, this.#budget + ((now - this.#filledAt) / 1000) * rate);
    this.#filledAt = now;
    return this.#budget > 0;
  }

  async #waitForBudget(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const rate = this.#limits.requestsPerSecond ?? 1;
    await wait(Math.max(1, Math.ceil(((1 - this.#budget) / rate) * 1000)), this.#world, this.#signal);
    this.#isWaiting = false;
    if (!this.#signal.aborted) this.#next();
  }
}
