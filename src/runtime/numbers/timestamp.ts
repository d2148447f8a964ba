/** The range of times, in seconds since the Unix epoch: years with up to six digits. */
const moments = { earliest: -8_334_601_228_800n, latest: 8_210_266_876_799n } as const;

/**
 * Whether microseconds since the Unix epoch are a valid time. As in graph-node, times before the epoch must be whole
 * seconds.
 */
export function isTimestamp(microseconds: bigint): boolean {
  const [seconds, rest] = [microseconds / 1_000_000n, microseconds % 1_000_000n];
  return rest >= 0n && seconds >= moments.earliest && seconds <= moments.latest;
}
