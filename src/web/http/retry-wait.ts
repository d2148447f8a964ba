/** How many times a request is sent at most. */
export const mostAttempts = 3;
/** The longest wait that a server may ask for, in milliseconds; who asks for more is not waited for. */
export const longestRetryAfter = 120_000;

const first = 500;
const longest = 30_000;
const transient: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** Whether asking again may give another answer. */
export function isTransient(status: number): boolean {
  return transient.has(status);
}

/**
 * Milliseconds to wait after a failed attempt, counted from 1; `undefined` when that is longer than anybody waits.
 * @param chance at least 0, less than 1; how much of the full wait is taken, so that clients do not return together
 * @param asked milliseconds that the server asks for
 */
export function retryWait(attempt: number, chance: number, asked: number | undefined): number | undefined {
  if (asked !== undefined && asked > longestRetryAfter) return undefined;
  const full = Math.min(longest, first * 2 ** (attempt - 1));
  return Math.max(asked ?? 0, Math.round(full * chance));
}
