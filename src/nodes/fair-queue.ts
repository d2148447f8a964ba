import { RoundRobin } from "../base/round-robin.js";
import { wait } from "../base/wait.js";
import type { World } from "../base/world.js";

/** How much may be sent to a network's nodes. */
export interface NodeLimits {
  /** Exchanges at the same time. */
  readonly concurrency: number;
  /** Requests in a second; no limit when left out. */
  readonly requestsPerSecond?: number;
}

interface Waiting {
  readonly requests: number;
  readonly go: () => void;
}

/**
 * Semaphore with a round-robin queue and a token bucket: those who ask take turns, one exchange each. It is not
 * `Semaphore`, since a free place is no use as long as the bucket is empty.
 */
export class FairQueue {
  readonly #limits: NodeLimits;
  readonly #world: Pick<World, "now" | "timeout">;
  readonly #signal: AbortSignal;
  readonly #waiting = new RoundRobin<Waiting>();
  #running = 0;
  /** Requests that may be sent now; below 0, what was sent beforehand. */
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

  /** Does something when it is the asker's turn. @param requests how many it takes of the budget */
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
      if (!this.#hasBudget()) return void this.#waitForBudget();
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
