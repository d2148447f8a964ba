const first = 250;
const longest = 15_000;

/**
 * Milliseconds to wait after a failed attempt, counted from 1: twice as long every time, up to 15 seconds. Chance, at
 * least 0 and less than 1, takes up to half of it away, so that clients that failed together do not return together.
 */
export function backoff(attempt: number, chance: number): number {
  const full = Math.min(longest, first * 2 ** Math.min(attempt - 1, 20));
  return full / 2 + (full / 2) * chance;
}
