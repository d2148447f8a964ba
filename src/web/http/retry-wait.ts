import { type BackoffTimes, backoff } from "../../base/turns/backoff.js";

/** Most attempts per request. */
export const mostAttempts = 3;
/** The longest `Retry-After` that is honoured, in milliseconds; a longer one ends the retries. */
export const longestRetryAfter = 120_000;

const times: BackoffTimes = { first: 500, longest: 30_000, jitter: [0, 1] };
/** From 520 on, they come from Cloudflare: its proxy did not reach the server behind it, or timed out waiting for it. */
const transient: ReadonlySet<number> = new Set([429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** Whether a status is transient, so that a retry may succeed. */
export function isTransient(status: number): boolean {
  return transient.has(status);
}

/**
 * Milliseconds to wait after a failed attempt, counted from 1; `undefined` when the server asks for more than
 * `longestRetryAfter`.
 * @param chance at least 0, less than 1; jitter, so that clients do not retry at the same moment
 * @param asked milliseconds of the `Retry-After` header
 */
export function retryWait(attempt: number, chance: number, asked: number | undefined): number | undefined {
  if (asked !== undefined && asked > longestRetryAfter) return undefined;
  return Math.max(asked ?? 0, Math.round(backoff(attempt, times, chance)));
}
