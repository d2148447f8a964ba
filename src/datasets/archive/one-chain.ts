import type { BlockPointer } from "../../runtime/chain/chain.js";
import type { LinkedBlock } from "./final-chain.js";

/**
 * Why blocks cannot belong to one chain; `undefined` if they can.
 * @param blocks without parents where unknown
 */
export function contradictionOf(
  blocks: readonly (BlockPointer & Partial<Pick<LinkedBlock, "parentHash">>)[],
): string | undefined {
  const hashes = new Map<number, string>();
  for (const { number, hash } of blocks) {
    const other = hashes.get(number) ?? hash;
    if (other !== hash) return `it has two blocks ${number}: ${other} and ${hash}`;
    hashes.set(number, hash);
  }
  for (const { number, parentHash } of blocks) {
    const before = hashes.get(number - 1) ?? parentHash;
    if (parentHash !== undefined && before !== parentHash)
      return `block ${number} does not follow block ${number - 1}`;
  }
  return undefined;
}
