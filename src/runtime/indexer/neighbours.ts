import { type Block, type Chain, ChainError, ReorgError } from "../chain/chain.js";
import type { Proof } from "../chain/proof/block-proof.js";

/** The most blocks to check on each side. */
const most = 8;

/**
 * Proofs of neighbours of a block that have transactions: first of later blocks, then of earlier ones.
 * @param newest the chain head
 * @param isLaterOnly whether earlier blocks prove nothing
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
      // A node that does not answer proves nothing about the chain.
      if (!(error instanceof ChainError || error instanceof ReorgError)) throw error;
      return;
    }
  }
}
