import { Bloom } from "../chain/bloom.js";
import { type Block, type Chain, ChainError, type Receipt, ReorgError } from "../chain/chain.js";
import { isNumbered } from "./log-lists.js";
import { receiptsByRoot, receiptsOneByOne } from "./logs-by-root.js";
import { areOfAll, receiptsOf } from "./receipts-of.js";
import type { Verification } from "./verification.js";

const mostAttempts = 6;

/**
 * The receipts of all transactions of a block, with all of their logs, proved as `verification` says: by the receipts root;
 * or by the bloom filter in the header, which logs must set wholly and exactly, and by their numbers, which have no gap.
 * @throws ReorgError when the node's receipts do not fit the block; ChainError when it returns none
 */
export async function wholeReceipts(
  chain: Chain,
  block: Block,
  verification: Verification,
): Promise<readonly Receipt[]> {
  if (verification.mode === "receipts") {
    const proved = await receiptsByRoot(chain, block, [], verification);
    if (proved) return proved;
  }
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const receipts = (await receiptsOf(chain, block)) ?? (await receiptsOneByOne(chain, block));
    if (!receipts)
      throw new ChainError(`the node returns no receipts of block ${block.number}; use a node that does`);
    if (areOfAll(receipts, block) && (verification.mode === "off" || explain(receipts, block)))
      return receipts;
  }
  throw new ReorgError(`the receipts of block ${block.number} do not match its header`);
}

/** Whether logs set the bits of the header's bloom filter, and no others. Some chains leave the filter empty. */
function explain(receipts: readonly Receipt[], { logsBloom }: Block): boolean {
  const logs = receipts.flatMap((receipt) => receipt.logs);
  const bloom = Bloom.parse(logsBloom);
  if (!bloom || bloom.isEmpty) return logs.length === 0 || isNumbered(logs);
  return isNumbered(logs) && Bloom.of(logs).hex === bloom.hex;
}
