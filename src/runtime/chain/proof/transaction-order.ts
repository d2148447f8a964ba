import type { Block, Transaction } from "../chain.js";
import { isStateSync } from "./receipts-root.js";

/** The transactions of a block, by their index. */
export function transactionsInOrder({ transactions }: Pick<Block, "transactions">): readonly Transaction[] {
  return [...transactions.values()].sort((one, other) => one.index - other.index);
}

/** The same without a state sync, which Polygon lists although no root covers it. */
export function transactionsInTrie(block: Block): readonly Transaction[] {
  return transactionsInOrder(block).filter(
    ({ hash, signature }) => signature !== undefined || !isStateSync({ transactionHash: hash }, block),
  );
}
