import { reportFailure } from "../base/failures.js";
import { guarded, inBackground } from "../base/turns/guarded.js";
import { SingleFlight } from "../base/turns/single-flight.js";
import { wait } from "../base/turns/wait.js";
import type { World } from "../base/world.js";

export interface ChainHead {
  readonly number: number;
  readonly hash: string;
}

/** A head, and its JSON. */
export interface SeenHead {
  readonly head: ChainHead;
  readonly result: Uint8Array;
}

/** Milliseconds. */
const glancePause = 5_000;

/** Polls a chain's head while there are listeners, once for all of them. */
export class HeadWatch {
  readonly #ask: () => Promise<SeenHead | undefined>;
  readonly #interval: number;
  readonly #world: Pick<World, "now" | "timeout">;
  readonly #signal: AbortSignal;
  readonly #hearers = new Set<(head: ChainHead) => void>();
  #seen: SeenHead | undefined;
  #seenAt = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** Number of polls so far. */
  #looked = 0;
  readonly #looks = new SingleFlight<void>();
  #isRunning = false;

  /** @param ask returns `undefined` if the node does not report a head */
  constructor(
    ask: () => Promise<SeenHead | undefined>,
    interval: number,
    world: Pick<World, "now" | "timeout">,
    signal: AbortSignal,
  ) {
    this.#ask = ask;
    this.#interval = interval;
    this.#world = world;
    this.#signal = signal;
  }

  get head(): ChainHead | undefined {
    return this.#seen?.head;
  }

  /** The JSON of the head from a recent poll; `undefined` if it is unknown. */
  async result(): Promise<Uint8Array | undefined> {
    if (this.#isFresh) return this.#seen?.result;
    await this.#look();
    return this.#isFresh ? this.#seen?.result : undefined;
  }

  /** Polls, unless it did so recently or is doing so, and waits at most this many milliseconds. */
  async glance(most: number): Promise<void> {
    if (this.#world.now() - this.#lookedAt < Math.max(this.#interval, glancePause)) return;
    await Promise.race([this.#look(), wait(most, this.#world, this.#signal)]);
  }

  hear(hear: (head: ChainHead) => void): () => void {
    this.#hearers.add(hear);
    if (!this.#isRunning) inBackground(this.#run(), reportFailure);
    return () => {
      this.#hearers.delete(hear);
    };
  }

  get #isFresh(): boolean {
    return this.#seen !== undefined && this.#world.now() - this.#seenAt <= this.#interval;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Does not use `repeat`, because the loop also ends once there are no listeners.
    for (let looks = -1; this.#hearers.size > 0 && !this.#signal.aborted; ) {
      // A caller may have polled meanwhile.
      if (looks === -1 || looks === this.#looked) await this.#look().catch(reportFailure);
      looks = this.#looked;
      await wait(this.#interval, this.#world, this.#signal);
    }
    this.#isRunning = false;
  }

  #look(): Promise<void> {
    return this.#looks.run(() => this.#lookNow());
  }

  async #lookNow(): Promise<void> {
    const at = this.#world.now();
    this.#lookedAt = at;
    this.#looked += 1;
    const seen = await this.#ask();
    if (!seen) return;
    const isNew = seen.head.hash !== this.#seen?.head.hash;
    this.#seen = seen;
    this.#seenAt = at;
    if (isNew) for (const hear of this.#hearers) guarded(hear, reportFailure)(seen.head);
  }
}
