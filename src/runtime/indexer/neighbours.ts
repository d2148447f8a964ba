import { type Block, type Chain, ChainError, ReorgError } from "../chain/chain.js";
import type { Proof } from "../chain/proof/block-proof.js";

/** Most blocks on each side that are looked at. */
const most = 8;

/**
 * Proofs of blocks near another one that have transactions: of later ones first, then of earlier ones.
 * @param newest the chain head
 * @param isLaterOnly whether the earlier ones say nothing
 */
export async function* neighbours(
  chain: Pick<Chain, "blocks">,
  { number }: Block,
  newest: number,
  isLaterOnly: boolean,
  prove: (block: Block) => Proof | Promise<Proof>,
): AsyncGenerator<Proof, void, void> {
  const later = Array.from({ length: Math.min(most, newest - number) }, (_, step) => number + 1 + step);
  const earlier = Array.from({ length: Math.min(most, number) }, (_, step) => number - 1 - step);
  for (const near of isLaterOnly ? later : [...later, ...earlier]) {
    try {
      const [block] = await chain.blocks([near]);
      if (block && block.transactions.size > 0) yield await prove(block);
    } catch (error) {
      // A node that does not answer says nothing of the chain.
      if (!(error instanceof ChainError || error instanceof ReorgError)) throw error;
      return;
    }
  }
}
