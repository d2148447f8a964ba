/**
 * The time of an entry in milliseconds since the Unix epoch. Servers send milliseconds or seconds; seconds misread as
 * milliseconds would be in January 1970.
 */
export function millisecondsOf(timestamp: number): number {
  return timestamp < 100_000_000_000 ? timestamp * 1000 : timestamp;
}
