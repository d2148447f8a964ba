import { Bloom } from "../chain/bloom.js";
import { type Block, type Chain, ChainError, type Receipt, ReorgError } from "../chain/chain.js";
import { hasReceiptsRoot, makeUpRoot } from "../chain/receipts-root.js";
import { BloomEvidence, bloomOf } from "./bloom-evidence.js";
import { isNumbered } from "./log-lists.js";
import { completeReceipts, receiptsByRoot } from "./logs-by-root.js";
import { areOfAll } from "./receipts-of.js";
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
  const evidence = new BloomEvidence(chain, block, verification);
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const receipts = await completeReceipts(chain, block);
    if (!receipts)
      throw new ChainError(`the node returns no receipts of block ${block.number}; use a node that does`);
    if (!areOfAll(receipts, block)) continue;
    if (verification.mode === "off" || (await areBelieved(receipts, block, evidence, verification)))
      return receipts;
  }
  throw new ReorgError(
    `the receipts of block ${block.number} do not match its header. If every node answers like this, use --verify ${verification.mode === "receipts" ? "bloom" : "receipts"}`,
  );
}

/** Whether logs set the bits of the header's bloom filter and no others, or outweigh it. Some chains leave it empty. */
async function areBelieved(
  receipts: readonly Receipt[],
  block: Block,
  evidence: BloomEvidence,
  verification: Verification,
): Promise<boolean> {
  verification.noteHeader(block);
  const logs = receipts.flatMap((receipt) => receipt.logs);
  if (block.unprovedHeader === "broken" && hasReceiptsRoot(block)) return makeUpRoot(receipts, block);
  const bloom = bloomOf(block);
  if (bloom && !bloom.isEmpty && !verification.distrustsBloomOf(block) && Bloom.of(logs).hex === bloom.hex)
    return isNumbered(logs);
  if (evidence.isUnexplainedBy(logs)) return evidence.outweighs(receipts, logs);
  await evidence.consider(receipts, logs);
  return logs.length === 0 || isNumbered(logs);
}
