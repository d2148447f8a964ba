import type { BlockPointer, Chain } from "../chain/chain.js";
import type { WritableStore } from "../store/store.js";

/** How many blocks the store is asked for first; most forks are short. Every further question is for twice as many. */
const firstBatch = 16;

/**
 * The newest block written that is still on the chain: what a fork is reverted to.
 * @returns nothing when none of the blocks that the store remembers is on the chain any more
 */
export async function commonAncestor(
  chain: Pick<Chain, "block">,
  store: Pick<WritableStore, "recentBlocks">,
): Promise<BlockPointer | undefined> {
  let seen = 0;
  for (let count = firstBatch; ; count *= 2) {
    const recent = await store.recentBlocks(count);
    for (const pointer of recent.slice(seen)) {
      const block = await chain.block(pointer.number);
      if (block?.hash === pointer.hash) return pointer;
    }
    if (recent.length < count) return undefined;
    seen = recent.length;
  }
}
