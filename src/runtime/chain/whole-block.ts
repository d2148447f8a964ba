import type { Block, Chain } from "./chain.js";

/**
 * A block with all of its transactions.
 * @throws ReorgError if the chain has another block with its number
 */
export async function wholeBlock(chain: Pick<Chain, "wholeBlock">, block: Block): Promise<Block> {
  if (!block.lacksTransactions) return block;
  const whole = await chain.wholeBlock?.(block);
  if (!whole) throw new Error(`block ${block.number} lacks transactions, and its chain cannot complete it`);
  return whole;
}
