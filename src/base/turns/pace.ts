import type { World } from "../world.js";

/** Waits until requests may be sent; one by default. Rejects when the user interrupts. */
export type Pace = (requests?: number) => Promise<void>;

/**
 * Rate limiter without bursts: after some requests, the next may be sent `requests / rate` seconds later.
 * @param rate maximum requests per second
 */
export function createPace(rate: number, world: Pick<World, "now" | "sleep">): Pace {
  const gap = 1000 / rate;
  let next = Number.NEGATIVE_INFINITY;
  return async (requests = 1) => {
    const now = world.now();
    const wait = next - now;
    next = Math.max(next, now) + requests * gap;
    if (wait > 0) await world.sleep(wait);
  };
}
