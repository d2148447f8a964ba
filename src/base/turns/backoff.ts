/** How long to wait after failures, in milliseconds. */
export interface BackoffTimes {
  /** After the first failure; twice as long after each further one. */
  readonly first: number;
  readonly longest: number;
  /** The range, in shares of that time, from which a wait is chosen at random; half to all by default. */
  readonly jitter?: readonly [least: number, most: number];
}

/**
 * Exponential backoff with jitter, so that work that failed together is not retried together.
 * @param failures number of failures in a row, at least 1
 * @param chance random number, at least 0 and less than 1
 * @returns milliseconds to wait
 */
export function backoff(failures: number, { first, longest, jitter }: BackoffTimes, chance: number): number {
  const [least, most] = jitter ?? [0.5, 1];
  return Math.min(longest, first * 2 ** (failures - 1)) * (least + (most - least) * chance);
}
