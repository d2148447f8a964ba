/** How long to wait after failures, in milliseconds. */
export interface BackoffTimes {
  /** After the first failure; twice as long after each further one. */
  readonly first: number;
  readonly longest: number;
  /** The shares of that which chance chooses between; from half of it to all of it when left out. */
  readonly jitter?: readonly [least: number, most: number];
}

/**
 * Exponential backoff with jitter, so that what failed together is not tried again together.
 * @param failures in a row, at least 1
 * @param chance at least 0, less than 1
 * @returns milliseconds to wait
 */
export function backoff(failures: number, { first, longest, jitter }: BackoffTimes, chance: number): number {
  const [least, most] = jitter ?? [0.5, 1];
  return Math.min(longest, first * 2 ** (failures - 1)) * (least + (most - least) * chance);
}
