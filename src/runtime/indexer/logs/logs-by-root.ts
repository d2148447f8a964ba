import { type Block, type Chain, ChainError, type Log, type Receipt, ReorgError } from "../../chain/chain.js";
import { isOutsideTransactions, logKey } from "../../chain/log-order.js";
import {
  blockReceiptOf,
  hasReceiptsRoot,
  haveLogsOf,
  isOfBlock,
  isStateSync,
  makeUpRoot,
  rawMakeUpRoot,
  uncertainType,
} from "../../chain/proof/receipts-root.js";
import { areOfAll, receiptsOf } from "./receipts-of.js";
import type { Verification } from "./verification.js";

const mostAttempts = 6;
/** One node of a pool may refuse receipts that another has. After so many refusals, none is assumed to have them. */
const mostRefusals = 3;

/** All nodes that were asked return receipts which do not match the root in the block's header. */
export class RootMismatchError extends ReorgError {
  override readonly name = "RootMismatchError";
}

/** The result of checking receipts against the receipts root. */
type Verdict = "proved" | "different" | "unknown";

/**
 * All logs of a block, from receipts that match the root in its header.
 * @param known logs of the block that were already found
 * @returns `undefined` when the root cannot be computed, which is reported to `verification`
 * @throws RootMismatchError
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
  const exception = verification.exceptionAt(block);
  const mayHaveOwn = exception === "block-receipt" || known.some((log) => isOfBlock(log, block));
  let refusals = 0;
  let incomplete: readonly Receipt[] | undefined;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const returned = await completeReceipts(chain, block);
    refusals += returned ? 0 : 1;
    const isHopeless = verification.mode === "receipts" && verification.proof !== "receipts";
    if (!returned && (refusals === mostRefusals || isHopeless))
      return unproved(verification, "the node returns no receipts");
    incomplete = returned && !areOfAll(returned, block) ? returned : undefined;
    if (!returned || incomplete) continue;
    const receipts = mayHaveOwn ? await withOwnReceipt(chain, block, returned) : returned;
    const verdict = await judge(chain, block, receipts);
    if (verdict === "proved") return unlessOthers(block, receipts, known, verification);
    if (exception === "foreign")
      return unproved(verification, "the chain does not compute receipts roots in Ethereum's way");
    const type = uncertainType(receipts);
    if (verdict === "unknown" && type !== undefined) return unproved(verification, typeText(type));
  }
  if (mayHaveOwn || known.some(isOutsideTransactions)) return unproved(verification, missingOutsiders);
  if (incomplete)
    throw new RootMismatchError(
      `${missingReceipts(incomplete, block)}. Use a node that has them. If every node answers like this, use --verify bloom`,
    );
  throw new RootMismatchError(
    `the receipts of block ${block.number} do not match the receipts root in its header. If every node answers like this, use --verify bloom`,
  );
}

export function missingReceipts(returned: readonly Receipt[], { number, transactions }: Block): string {
  const found = returned.length === 1 ? "1 receipt" : `${returned.length} receipts`;
  const wanted = transactions.size === 1 ? "1 transaction" : `${transactions.size} transactions`;
  return `the node lacks receipts: it returned ${found} of block ${number}, which has ${wanted}, to eth_getBlockReceipts and eth_getTransactionReceipt`;
}

/**
 * All receipts of a block at once, or one by one if the node does not return them all; `undefined` if it has none.
 */
export async function completeReceipts(chain: Chain, block: Block): Promise<readonly Receipt[] | undefined> {
  const returned = await receiptsOf(chain, block);
  if (returned && areOfAll(returned, block)) return returned;
  return (await receiptsOneByOne(chain, block)) ?? returned;
}

async function judge(chain: Chain, block: Block, receipts: readonly Receipt[]): Promise<Verdict> {
  const inTrie = receipts.filter((receipt) => !isStateSync(receipt, block));
  if (makeUpRoot(receipts, block) || makeUpRoot(inTrie, block)) return "proved";
  const raw = await rawReceiptsOf(chain, block);
  if (!raw) return "unknown";
  return rawMakeUpRoot(raw, block) && haveLogsOf(inTrie, raw) ? "proved" : "different";
}

/** Proved receipts, unless logs are known that no root covers, and that the receipts lack. */
function unlessOthers(
  block: Block,
  receipts: readonly Receipt[],
  known: readonly Log[],
  verification: Verification,
): readonly Receipt[] | undefined {
  const areReturned = receipts.some((receipt) => isStateSync(receipt, block));
  if (!areReturned && known.some((log) => isStateSync(log, block)))
    return unproved(verification, "logs of state syncs are missing from the receipts");
  // Ethereum has no such logs: a node that returns one has invented it.
  if (!verification.isEthereum && lacksOutsider(receipts, known))
    return unproved(verification, missingOutsiders);
  if (areReturned || verification.exceptionAt(block) === "state-sync")
    verification.cannotProve(
      "the receipts root does not cover logs of state syncs, so they are not verified",
    );
  return receipts;
}

const missingOutsiders = "logs that belong to no transaction are missing from the receipts";

/** Whether a known log belongs to no transaction, so that no receipt contains it. */
function lacksOutsider(receipts: readonly Receipt[], known: readonly Log[]): boolean {
  const outside = known.filter(isOutsideTransactions);
  if (outside.length === 0) return false;
  const keys = new Set(receipts.flatMap(({ logs }) => logs.map(logKey)));
  return outside.some((log) => !keys.has(logKey(log)));
}

/**
 * Adds the receipt of the block itself. Nodes on Celo return it with the others, or omit it, but list its logs among
 * the block's.
 */
async function withOwnReceipt(
  chain: Chain,
  block: Block,
  receipts: readonly Receipt[],
): Promise<readonly Receipt[]> {
  if (receipts.some((receipt) => isOfBlock(receipt, block))) return receipts;
  const logs = (await chain.logsOf(block)).filter((log) => isOfBlock(log, block));
  return logs.length === 0 ? receipts : [...receipts, blockReceiptOf(block, receipts.length, logs)];
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
  if (verification.mode === "receipts")
    verification.cannotProve(`${why}, so logs are checked against bloom filters instead`);
}

function typeText(type: number): string {
  return `the encoding of receipts of type 0x${type.toString(16)} is uncertain and the node does not support debug_getRawReceipts`;
}
