import type { Fail } from "../turns/guarded.js";
import { wait } from "../turns/wait.js";
import type { World } from "../world.js";

/**
 * Repeats work, with pauses, until the signal is aborted.
 * @param pause milliseconds
 * @param fail receives errors of the work, and the loop continues; without it, a failure ends the loop
 * @returns a promise that is fulfilled once the signal is aborted and the running work has ended
 * @throws errors of the work, unless `fail` receives them
 */
export async function repeat(
  pause: number,
  world: Pick<World, "timeout">,
  signal: AbortSignal,
  work: () => Promise<void> | void,
  fail?: Fail,
): Promise<void> {
  for (;;) {
    await wait(pause, world, signal);
    if (signal.aborted) return;
    try {
      await work();
    } catch (error) {
      if (!fail) throw error;
      fail(error);
    }
  }
}
