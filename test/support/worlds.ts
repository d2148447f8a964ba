import type { World } from "../../src/base/world.js";
import { createNodeWorld } from "../../src/machine/world.js";

/** The real network and the real clock. */
export const realWorld: World = createNodeWorld();

/** A world with the real network in which waiting takes no time. */
export interface FastWorld extends World {
  /** The waits so far, in milliseconds. */
  readonly waits: number[];
}

/** `time` is its start, in milliseconds since 1970, and `random` its random numbers. Timeouts use the real clock. */
export function fastWorld(options: { time?: number; random?: number; signal?: AbortSignal } = {}): FastWorld {
  const waits: number[] = [];
  let time = options.time ?? 1_700_000_000_000;
  return {
    ...createNodeWorld(options.signal),
    waits,
    now: () => time,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      time += milliseconds;
    },
    random: () => options.random ?? 0,
  };
}
