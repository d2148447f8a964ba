/**
 * Parses a `Retry-After` header, seconds or a date, to milliseconds; `undefined` when it is neither.
 * @param now milliseconds since the Unix epoch
 */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const seconds = Number(header);
  if (header.trim() !== "" && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
