import { createHash } from "node:crypto";
import type { BlockPointer } from "../../runtime/chain/chain.js";

/**
 * The branch of a change log after a reversal. It follows from all reversals so far and from nothing else. So
 * a block that is reverted and comes back gets another branch, while a database that was restored and sees
 * the same blocks again gives the same branches.
 * @param branch the one before
 */
export function branchAfter(
  branch: string,
  from: BlockPointer | undefined,
  to: BlockPointer | undefined,
): string {
  return digest(["branch", branch, from?.hash, to?.hash]);
}

/** What the changes of a block come from: the block, on a branch. */
export function originOf(branch: string, { hash }: Pick<BlockPointer, "hash">): string {
  return digest(["block", branch, hash]);
}

function digest(parts: readonly (string | undefined)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}
