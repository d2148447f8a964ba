import type { BlockPointer } from "../chain/chain.js";
import type { WritableStore } from "../store/store.js";

/**
 * Size of the first batch of blocks to read from the store; most forks are short. The size doubles with every further
 * batch.
 */
const firstBatch = 16;

/** The common ancestor of the written blocks and the chain. */
export interface CommonAncestor {
  /** The newest written block that is still on the chain; absent when the store remembers no such block. */
  readonly kept?: BlockPointer;
  /** Whether the chain has replaced a written block with a different one, rather than just lacking it. */
  readonly isReplaced: boolean;
}

/** Finds the block to revert to after a fork. */
export async function commonAncestor(
  chain: { block(number: number): Promise<BlockPointer | undefined | null> },
  store: Pick<WritableStore, "recentBlocks">,
): Promise<CommonAncestor> {
  let seen = 0;
  let isReplaced = false;
  for (let count = firstBatch; ; count *= 2) {
    const recent = await store.recentBlocks(count);
    for (const pointer of recent.slice(seen)) {
      const block = await chain.block(pointer.number);
      if (block?.hash === pointer.hash) return { kept: pointer, isReplaced };
      isReplaced ||= block !== undefined;
    }
    if (recent.length < count) return { isReplaced };
    seen = recent.length;
  }
}
