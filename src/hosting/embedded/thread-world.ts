import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { World } from "../../base/world.js";

export interface ThreadWorld extends World {
  /** Runs something repeatedly while the thread lives. */
  every(milliseconds: number, work: () => void): void;
  /** Lets the thread process pending orders, answers and timers. */
  breathe(): Promise<void>;
}

/**
 * The real clock and randomness for a thread, which has no network.
 * @param fetch stands for the network
 * @param signal ends all waits
 */
export function createThreadWorld(fetch: World["fetch"], signal: AbortSignal): ThreadWorld {
  return {
    fetch,
    now: () => Date.now(),
    sleep: (milliseconds) => sleep(milliseconds, undefined, { signal }),
    timeout: (milliseconds) => AbortSignal.timeout(milliseconds),
    random: () => Math.random(),
    every: (milliseconds, work) => {
      setInterval(work, milliseconds);
    },
    breathe: () => setImmediate(),
  };
}
