import { type Block, type BlockPointer, type Chain, ChainError, type Receipt } from "../../chain/chain.js";
import { isOfBlock, isStateSync } from "../../chain/proof/receipts-root.js";

/** All receipts of a block; `undefined` when the node does not return them at once. @throws ReorgError */
export async function receiptsOf(chain: Chain, block: BlockPointer): Promise<readonly Receipt[] | undefined> {
  try {
    return await chain.receipts?.(block);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** Whether there is exactly one receipt for each transaction, not counting receipts that belong to none. */
export function areOfAll(receipts: readonly Receipt[], block: Block): boolean {
  const hashes = new Set(receipts.map(({ transactionHash }) => transactionHash));
  return (
    hashes.size === receipts.length &&
    [...block.transactions.keys()].every((hash) => hashes.delete(hash)) &&
    receipts.every((receipt) => !hashes.has(receipt.transactionHash) || isOfNone(receipt, block))
  );
}

/** Celo's receipt for the end of a block has the block's hash; Polygon also has a receipt of no transaction. */
function isOfNone(receipt: Receipt, block: Block): boolean {
  return isOfBlock(receipt, block) || isStateSync(receipt, block);
}
