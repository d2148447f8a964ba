const first = 250;
const longest = 15_000;

/**
 * Exponential backoff with jitter: milliseconds to wait after a failed attempt, doubled every time, up to 15
 * seconds.
 * @param attempt counted from 1
 * @param chance at least 0, less than 1; takes up to half of the wait away, so that clients do not retry at
 * the same moment
 */
export function backoff(attempt: number, chance: number): number {
  const full = Math.min(longest, first * 2 ** Math.min(attempt - 1, 20));
  return full / 2 + (full / 2) * chance;
}
