/** Seconds that a moment can be away from 1970, in years that have up to six digits. */
const moments = { earliest: -8_334_601_228_800n, latest: 8_210_266_876_799n } as const;

/** Whether microseconds since 1970 are a moment. Before that there are only whole seconds, as graph-node reads them. */
export function isTimestamp(microseconds: bigint): boolean {
  const [seconds, rest] = [microseconds / 1_000_000n, microseconds % 1_000_000n];
  return rest >= 0n && seconds >= moments.earliest && seconds <= moments.latest;
}
