import type { World } from "../base/world.js";

/**
 * Rate limiter without bursts: requests are sent at least `1 / rate` seconds apart.
 * @param rate maximum requests per second
 * @returns a function that waits until the next request may be sent, and rejects when the user interrupts
 */
export function createPace(rate: number, world: Pick<World, "now" | "sleep">): () => Promise<void> {
  const gap = 1000 / rate;
  let next = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = world.now();
    const wait = next - now;
    next = Math.max(next, now) + gap;
    if (wait > 0) await world.sleep(wait);
  };
}
