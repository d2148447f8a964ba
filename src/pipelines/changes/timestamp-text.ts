/**
 * A moment as ISO 8601 with all of its digits, since microseconds are more exact than a Date.
 * @param microseconds since 1970
 */
export function timestampText(microseconds: bigint): string {
  const remainder = ((microseconds % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((microseconds - remainder) / 1_000_000n);
  const [date = ""] = new Date(seconds * 1_000).toISOString().split(".");
  return `${date}.${String(remainder).padStart(6, "0")}Z`;
}
