import { endOf, type Parameters, type ReadChain } from "./read-chain.js";

/** The blocks between two times. */
export interface TimeBounds {
  /** The first and the last block that may be between them, in SQL, including replaced versions. */
  readonly firstBlock: string;
  readonly lastBlock: string;
  readonly parameters: Parameters;
  /** Whether a time is between them. */
  isWithin(time: number): boolean;
}

/**
 * Bounds of times, both included. Timestamps never decrease along a chain, so times find blocks, which are read by
 * their numbers.
 */
export function timeBounds(
  chain: ReadChain,
  since: number | undefined,
  until: number | undefined,
): TimeBounds {
  const blocks = `${chain.table("blocks")} WHERE number <= {last_block:Int64}`;
  const isWithin = (time: number): boolean => time >= (since ?? time) && time <= (until ?? time);
  return {
    // Without such a block, the range is empty.
    firstBlock:
      since === undefined
        ? "0"
        : `ifNull((SELECT number FROM ${blocks} AND timestamp >= {since:Int64} ORDER BY number LIMIT 1), {last_block:Int64} + 1)`,
    lastBlock:
      until === undefined
        ? "{last_block:Int64}"
        : `ifNull((SELECT number FROM ${blocks} AND timestamp <= {until:Int64} ORDER BY number DESC LIMIT 1), -1)`,
    parameters: {
      last_block: endOf(chain, "blocks"),
      ...(since !== undefined && { since: clamped(since) }),
      ...(until !== undefined && { until: clamped(until) }),
    },
    isWithin,
  };
}

function clamped(time: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, time));
}
