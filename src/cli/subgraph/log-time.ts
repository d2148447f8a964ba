/**
 * The time of an entry in milliseconds since 1970. Servers count milliseconds or seconds; as milliseconds, a number of
 * seconds would lie in January 1970.
 */
export function millisecondsOf(timestamp: number): number {
  return timestamp < 100_000_000_000 ? timestamp * 1000 : timestamp;
}
