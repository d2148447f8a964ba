import { UsageError } from "../terminal/usage-error.js";
import type { SyncedNetwork } from "./find-network.js";
import type { SyncSource } from "./sync-source.js";

/**
 * The last block to write: the wanted one, or else the newest final block. Blocks that a reorganisation may still replace
 * are refused, since files are not corrected; a chain on the user's machine has none.
 * @throws UsageError when the chain does not have the range
 */
export function lastBlock(
  { newest, final }: Pick<SyncSource, "newest" | "final">,
  { name }: SyncedNetwork,
  from: number,
  wanted: number | undefined,
): number {
  if (final === undefined)
    throw new UsageError(
      `${name} has no final block yet: its newest block is ${newest}. Wait, and run it again.`,
    );
  const to = wanted ?? final;
  if (to < from)
    throw new UsageError(
      `--from-block ${from} is after the newest final block, ${final}. Pass an earlier first block.`,
    );
  if (to > final)
    throw new UsageError(
      `--to-block ${to} is after the newest final block, ${final}, and may still be replaced. Pass --to-block ${final}, or omit it.`,
    );
  return to;
}
