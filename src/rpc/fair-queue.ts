import { reportFailure } from "../base/failures.js";
import { inBackground } from "../base/turns/guarded.js";
import { wait } from "../base/turns/wait.js";
import type { World } from "../base/world.js";
import { type Asker, type AskerKind, kindShares } from "./asker.js";
import { WeightedLine } from "./weighted-line.js";

/** The limits on requests to a network's nodes. */
export interface NodeLimits {
  /** Requests per second, for all askers together; unlimited by default. */
  readonly requestsPerSecond?: number | undefined;
  /** Maximum number of concurrent exchanges per kind of askers, to override the default. */
  readonly places?: Partial<Readonly<Record<AskerKind, number>>> | undefined;
}

/** What an asker did with its turn. */
export interface Sent<Result> {
  /** Number of requests sent. If 0, the turn uses no place and no budget. */
  readonly requests: number;
  readonly result: Promise<Result>;
}

const weights: ReadonlyMap<string, number> = new Map(
  Object.entries(kindShares).map(([kind, { weight }]) => [kind, weight]),
);

/** Starts waiting work, and returns what was sent. */
type Waiting = () => Sent<unknown>;

/**
 * Decides when requests are sent to a network's nodes. Each kind of askers has its own places. All kinds share one
 * token bucket, from which they take turns by weight. `Semaphore` would not do, because a free place is useless while
 * the bucket is empty.
 */
export class FairQueue {
  readonly #rate: number | undefined;
  readonly #world: Pick<World, "now" | "timeout">;
  readonly #signal: AbortSignal;
  readonly #line = new WeightedLine<Waiting>((kind) => weights.get(kind) ?? 1);
  readonly #places: ReadonlyMap<string, number>;
  readonly #running = new Map<string, number>();
  /** The number of requests that may be sent now; negative if requests were sent ahead of the budget. */
  #budget: number;
  #filledAt: number;
  #isWaiting = false;

  constructor(limits: NodeLimits, world: Pick<World, "now" | "timeout">, signal: AbortSignal) {
    const { requestsPerSecond, places } = limits;
    const usual = Object.entries(kindShares).map(([kind, share]) => [kind, share.places] as const);
    this.#rate = requestsPerSecond;
    this.#places = new Map([...usual, ...Object.entries(places ?? {})]);
    this.#world = world;
    this.#signal = signal;
    this.#budget = mostAtOnce(requestsPerSecond);
    this.#filledAt = world.now();
  }

  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Starts work when it is the asker's turn.
   * @param signal takes waiting work out of the line; started work continues
   * @returns the work's result; `undefined` if the signal took it out of the line
   */
  take<Result>(
    { kind, project, name }: Asker,
    begin: () => Sent<Result>,
    signal?: AbortSignal,
  ): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return resolve(undefined);
      const path = [kind, project, name];
      const turn: Waiting = () => {
        signal?.removeEventListener("abort", leave);
        try {
          const sent = begin();
          resolve(sent.result);
          return sent;
        } catch (error) {
          // The failure does not concern the caller that happens to make room.
          reject(error);
          return { requests: 0, result: Promise.resolve() };
        }
      };
      const leave = (): void => {
        if (this.#line.remove(path, turn)) resolve(undefined);
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#line.push(path, turn);
      this.#next();
    });
  }

  /** Counts requests that are sent without a turn. Others then wait for the budget. */
  spend(requests: number): void {
    this.#fill();
    this.#budget -= requests;
  }

  #next(): void {
    while (this.#line.size > 0) {
      if (!this.#hasBudget()) {
        inBackground(this.#waitForBudget(), reportFailure);
        return;
      }
      const turn = this.#line.shift((kind) => this.#hasPlace(kind));
      if (!turn) return;
      const { path, item: begin } = turn;
      const { requests, result } = begin();
      this.#line.charge(path, requests);
      this.#budget -= requests;
      if (requests > 0) inBackground(this.#occupy(path[0] ?? "", result), reportFailure);
    }
  }

  #hasPlace(kind: string): boolean {
    return (this.#running.get(kind) ?? 0) < (this.#places.get(kind) ?? 1);
  }

  /** Occupies a place of a kind until the result settles. */
  async #occupy(kind: string, result: Promise<unknown>): Promise<void> {
    this.#running.set(kind, (this.#running.get(kind) ?? 0) + 1);
    await result.catch(() => undefined);
    this.#running.set(kind, (this.#running.get(kind) ?? 0) - 1);
    this.#next();
  }

  #hasBudget(): boolean {
    // Nothing more is sent, so work does not have to wait.
    if (this.#rate === undefined || this.#signal.aborted) return true;
    this.#fill();
    return this.#budget > 0;
  }

  #fill(): void {
    const now = this.#world.now();
    const gained = ((now - this.#filledAt) / 1000) * (this.#rate ?? 0);
    this.#budget = Math.min(mostAtOnce(this.#rate), this.#budget + gained);
    this.#filledAt = now;
  }

  async #waitForBudget(): Promise<void> {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    const seconds = (1 - this.#budget) / (this.#rate ?? 1);
    await wait(Math.max(1, Math.ceil(seconds * 1000)), this.#world, this.#signal);
    this.#isWaiting = false;
    this.#next();
  }
}

/** The most requests that the budget allows at once, after an idle time. */
function mostAtOnce(rate: number | undefined): number {
  return Math.max(1, rate ?? 0);
}
