import type { World } from "../world.js";
import { TooMuchWaitingError } from "./fair-turns.js";
import { wait } from "./wait.js";

/** How much work an asker may start. */
export interface AllowanceLimits {
  /** Tasks that may start without waiting after a quiet time. */
  readonly burst: number;
  /** Tasks per second after that. */
  readonly perSecond: number;
  /** How many tasks of one asker may wait. */
  readonly waitingOfOne: number;
  /** Says why work is refused, and what to do. */
  readonly refusal: string;
}

/** Beyond this number, the askers that have been quiet the longest are forgotten. */
const mostAskers = 50_000;

/**
 * Slows down askers that start more work than they may: their work waits, and is refused only if too much already
 * waits.
 */
export class Allowance {
  readonly #limits: AllowanceLimits;
  readonly #world: Pick<World, "now" | "timeout">;
  /** When each asker's started work would be finished at the rate `perSecond`, in milliseconds since 1970. */
  readonly #spent = new Map<string, number>();

  constructor(limits: AllowanceLimits, world: Pick<World, "now" | "timeout">) {
    this.#limits = limits;
    this.#world = world;
  }

  /**
   * Waits until an asker may start a task.
   * @throws TooMuchWaitingError, or the signal's reason
   */
  async take(asker: string, signal: AbortSignal): Promise<void> {
    const { burst, perSecond, waitingOfOne, refusal } = this.#limits;
    const [gap, now] = [1000 / perSecond, this.#world.now()];
    const spent = Math.max(now, this.#spent.get(asker) ?? now) + gap;
    const late = spent - now - burst * gap;
    if (late > waitingOfOne * gap) throw new TooMuchWaitingError(refusal, Math.ceil(late / 1000));
    this.#spent.delete(asker);
    this.#spent.set(asker, spent);
    for (const [other, over] of this.#spent) {
      if (over > now && this.#spent.size <= mostAskers) break;
      this.#spent.delete(other);
    }
    if (late <= 0) return;
    await wait(late, this.#world, signal);
    signal.throwIfAborted();
  }
}
