import type { World } from "../world.js";

/** Waits for some milliseconds, or until a signal is aborted. Does not keep the process running. */
export function wait(
  milliseconds: number,
  world: Pick<World, "timeout">,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    // A timer takes whole milliseconds, and waits of a backoff have fractions.
    const late = world.timeout(Math.ceil(milliseconds));
    const end = (): void => {
      late.removeEventListener("abort", end);
      signal.removeEventListener("abort", end);
      resolve();
    };
    late.addEventListener("abort", end);
    signal.addEventListener("abort", end);
  });
}
