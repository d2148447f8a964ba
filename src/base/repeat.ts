import { wait } from "./wait.js";
import type { World } from "./world.js";

/**
 * Loop until stopped: does work again and again, after a pause each time, until the signal is aborted.
 * @param pause milliseconds
 * @returns a promise that is fulfilled once the signal is aborted and the work under way has ended
 * @throws what the work throws, which ends the loop
 */
export async function repeat(
  pause: number,
  world: Pick<World, "timeout">,
  signal: AbortSignal,
  work: () => Promise<void> | void,
): Promise<void> {
  for (;;) {
    await wait(pause, world, signal);
    if (signal.aborted) return;
    await work();
  }
}
