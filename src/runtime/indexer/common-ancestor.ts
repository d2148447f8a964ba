import type { BlockPointer } from "../chain/chain.js";
import type { WritableStore } from "../store/store.js";

/** How many blocks the store is asked for first; most forks are short. Every further question is for twice as many. */
const firstBatch = 16;

/** Where the blocks written and the chain part. */
export interface CommonAncestor {
  /** The newest block written that is still on the chain; nothing when the store remembers none that is. */
  readonly kept?: BlockPointer;
  /** Whether the chain has another block in place of one that was written, and does not only lack it. */
  readonly isReplaced: boolean;
}

/** Finds what a fork is reverted to. */
export async function commonAncestor(
  chain: { block(number: number): Promise<BlockPointer | undefined> },
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
