import { type Block, type Chain, ChainError, type Log, type Receipt, ReorgError } from "../chain/chain.js";
import {
  hasReceiptsRoot,
  haveLogsOf,
  isStateSync,
  makeUpRoot,
  rawMakeUpRoot,
  unknownType,
} from "../chain/receipts-root.js";
import { areOfAll, receiptsOf } from "./receipts-of.js";
import type { Verification } from "./verification.js";

const mostAttempts = 6;

/** The result of checking receipts against the receipts root. */
type Verdict = "proved" | "different" | "unknown";

/**
 * All logs of a block, from receipts that match the root in its header.
 * @param known logs of the block that were already found
 * @returns `undefined` when the root cannot be computed, which is reported to `verification`
 * @throws ReorgError when the node's receipts do not match the root
 */
export async function logsByRoot(
  chain: Chain,
  block: Block,
  known: readonly Log[],
  verification: Verification,
): Promise<readonly Log[] | undefined> {
  const receipts = await receiptsByRoot(chain, block, known, verification);
  return receipts?.flatMap(({ logs }) => logs);
}

/** All receipts of a block, by the root in its header; parameters, result and errors as of `logsByRoot`. */
export async function receiptsByRoot(
  chain: Chain,
  block: Block,
  known: readonly Log[],
  verification: Verification,
): Promise<readonly Receipt[] | undefined> {
  if (!hasReceiptsRoot(block)) return unproved(verification, "block headers have no receipts root");
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const receipts = (await receiptsOf(chain, block)) ?? (await receiptsOneByOne(chain, block));
    if (!receipts) return unproved(verification, "the node returns no receipts");
    if (!areOfAll(receipts, block)) continue;
    const verdict = await judge(chain, block, receipts, verification);
    if (verdict === "proved") return receipts;
    const type = unknownType(receipts);
    if (verdict === "unknown" && type !== undefined) return unproved(verification, typeText(type));
    // Celo has logs that belong to no transaction, in a separate receipt that nodes omit from the list.
    if (known.some(({ transactionHash }) => transactionHash === block.hash))
      return unproved(verification, "some logs belong to no transaction and are missing from the receipts");
  }
  throw new ReorgError(`the receipts of block ${block.number} do not match the receipts root in its header`);
}

async function judge(
  chain: Chain,
  block: Block,
  receipts: readonly Receipt[],
  verification: Verification,
): Promise<Verdict> {
  if (makeUpRoot(receipts, block)) return "proved";
  const inTrie = receipts.filter((receipt) => !isStateSync(receipt, block));
  if (inTrie.length < receipts.length && makeUpRoot(inTrie, block)) {
    verification.cannotProve(
      "the receipts root does not cover logs of state syncs, so they are not verified",
    );
    return "proved";
  }
  const raw = await rawReceiptsOf(chain, block);
  if (!raw) return "unknown";
  return rawMakeUpRoot(raw, block) && haveLogsOf(inTrie, raw) ? "proved" : "different";
}

async function rawReceiptsOf(chain: Chain, block: Block): Promise<readonly string[] | undefined> {
  try {
    return await chain.rawReceipts?.(block);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** The receipts of a block's transactions; `undefined` when the node does not return one of them. */
export async function receiptsOneByOne(chain: Chain, block: Block): Promise<readonly Receipt[] | undefined> {
  try {
    const receipts = await Promise.all([...block.transactions.keys()].map((hash) => chain.receipt(hash)));
    return receipts.flatMap((receipt) => (receipt?.block.hash === block.hash ? receipt : []));
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

function unproved(verification: Verification, why: string): undefined {
  verification.cannotProve(`${why}, so logs are checked against bloom filters instead`);
}

function typeText(type: number): string {
  return `receipts of type 0x${type.toString(16)} are unknown and the node does not support debug_getRawReceipts`;
}
