/** Chance that a seed repeats. */
export interface Draw {
  /** At least 0, less than 1. */
  chance(): number;
  /** Whether an event with a given probability happens. */
  happens(probability: number): boolean;
  /** An integer from 0 to below a bound. */
  below(bound: number): number;
  /** One of a list. */
  one<T>(list: readonly T[]): T;
}

/** Random draws that repeat for the same seed (mulberry32). */
export function drawFrom(seed: number): Draw {
  let state = (seed * 0x9e3779b1) | 0;
  const chance = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(chance() * bound);
  return {
    chance,
    happens: (probability) => chance() < probability,
    below,
    one: (list) => {
      const found = list[below(list.length)];
      if (found === undefined) throw new Error("the list to draw from is empty");
      return found;
    },
  };
}
