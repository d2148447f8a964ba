import type { World } from "../world.js";
import { TooMuchWaitingError } from "./fair-turns.js";
import { wait } from "./wait.js";

/** How much an asker may begin. */
export interface AllowanceLimits {
  /** Pieces of work that may begin without a wait after a quiet time. */
  readonly burst: number;
  /** Pieces of work that may begin in a second from then on. */
  readonly perSecond: number;
  /** For one asker. */
  readonly waitingOfOne: number;
  /** The message for an asker of too much, with what to do. */
  readonly refusal: string;
}

/** Askers are forgotten beyond this number, those without a recent request first. */
const mostAskers = 50_000;

/** Slows down askers that begin more work than they may: their work waits, and is only refused when too much waits. */
export class Allowance {
  readonly #limits: AllowanceLimits;
  readonly #world: Pick<World, "now" | "timeout">;
  /** When an asker's started work would be finished at the rate `perSecond`, in milliseconds since 1970. */
  readonly #spent = new Map<string, number>();

  constructor(limits: AllowanceLimits, world: Pick<World, "now" | "timeout">) {
    this.#limits = limits;
    this.#world = world;
  }

  /**
   * Waits until an asker may begin a piece of work.
   * @throws TooMuchWaitingError, the reason of the signal
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
