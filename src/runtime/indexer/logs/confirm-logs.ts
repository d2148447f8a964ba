import {
  type Block,
  type Chain,
  ChainError,
  type Log,
  type LogFilter,
  ReorgError,
} from "../../chain/chain.js";
import { clashOf, clashText, inOrder } from "../../chain/log-order.js";
import { proveReceipts } from "../../chain/proof/block-proof.js";
import { Bloom } from "../../chain/proof/bloom.js";
import { makeUpRoot } from "../../chain/proof/receipts-root.js";
import { allLogs, BloomEvidence, bloomOf, withOutsiders } from "./bloom-evidence.js";
import { areAlike, fitting, holdsAll, isNumbered, isNumberedAsWhole, ownOf } from "./log-lists.js";
import { completeReceipts, logsByRoot, receiptsOneByOne } from "./logs-by-root.js";
import { areOfAll, receiptsOf } from "./receipts-of.js";
import type { Verification } from "./verification.js";

/** Up to this number of transactions, fetching all logs of a block costs hardly more than those of one contract. */
const fewTransactions = 50;
const mostAttempts = 6;
/** A random filter admits logs with this much surprise once in a million times. */
const enoughSurprise = 20;
/** How often answers must agree if there is no proof: receipts without a receipts root, and lists alone. */
const agreements = { receipts: 2, lists: 3 };

/** Logs that were found for a block and must be confirmed. */
export interface LogClaim {
  readonly filter: LogFilter;
  /** The logs that queries by block range returned for the block's number. */
  readonly found: readonly Log[];
  /** The logs among them that the first of several answers contained; all by default. */
  readonly answered?: readonly Log[];
  /**
   * Whether answers may lack logs of this block although they agree: the block is so new that a node of a pool may lack
   * it, or an answer ends in it.
   */
  readonly isDoubtful: boolean;
  /** Whether the logs are found out from nothing, so that no answer is blamed for lacking some. */
  readonly isFresh?: boolean;
}

/** A block whose logs are not confirmed yet. */
interface Claimed {
  readonly chain: Chain;
  readonly block: Block;
  readonly claim: LogClaim;
  /** The logs of `found` that belong to this block. */
  readonly known: readonly Log[];
  readonly verification: Verification;
}

interface Question extends Claimed {
  /** `undefined` when it proves nothing: some chains leave it empty or inconsistent with the logs. */
  readonly bloom: Bloom | undefined;
}

/**
 * Confirms the logs of a block that match a filter. A query by number may have returned the logs of a different block
 * with that number, those of a node that lacks the block, or a truncated list.
 *
 * A block whose bloom filter excludes the filter needs no query. For a doubtful or small block, all logs are needed:
 * they must set all bits of the bloom filter and be numbered without a gap. This does not prove that the end of the
 * list is complete, because the logs there may only repeat bits that earlier logs have set. So such blocks are checked
 * against their receipts, one for each transaction. For other blocks, two answers to different requests suffice, since
 * on a busy chain one bloom filter in three has a false positive. Receipts can outweigh a bloom filter: see
 * `BloomEvidence`.
 * @throws ReorgError
 */
export async function confirmLogs(
  chain: Chain,
  block: Block,
  claim: LogClaim,
  verification: Verification,
): Promise<readonly Log[]> {
  const known = ownOf(block, claim.found);
  if (verification.mode === "off") {
    if (known.length === claim.found.length) return distinct(known);
    throw new ReorgError(`the node returned logs of a different block ${block.number}`);
  }
  verification.noteHeader(block);
  const question = { chain, block, claim, known, verification };
  const bloom = await trustedBloom(question);
  const logs = distinct((await byRoot({ ...question, bloom })) ?? (await byBloom({ ...question, bloom })));
  if (!claim.isFresh) verification.compare(block, claim.answered ?? known, logs);
  return logs;
}

/** @throws ReorgError when two logs have the same key, because another node may return only one of them */
export function distinct(logs: readonly Log[]): readonly Log[] {
  const clash = clashOf(logs);
  if (clash) throw new ReorgError(clashText(clash));
  return logs;
}

/** Whether the bloom filter of a block proves nothing, although the chain has bloom filters. */
function provesNothing(block: Block, verification: Verification): boolean {
  if (block.unprovedHeader === undefined) return verification.distrustsBloomOf(block);
  // An empty filter that no hash covers may come from a chain without filters, or from a node without logs.
  const isEmptied = block.transactions.size > 0 && bloomOf(block)?.isEmpty === true;
  return block.unprovedHeader === "broken" || isEmptied || verification.distrustsBloomOf(block);
}

/** `undefined` when the filter of a block proves nothing: none, a useless one, or one that has not been tried yet. */
async function trustedBloom({
  chain,
  block,
  claim,
  known,
  verification,
}: Claimed): Promise<Bloom | undefined> {
  const bloom = provesNothing(block, verification) ? undefined : bloomOf(block);
  if (!bloom?.excludesNone(known)) return undefined;
  if (bloom.surpriseOf(known) >= enoughSurprise) verification.trustBlooms();
  const isRelied = known.length === 0 && block.transactions.size > 0 && !bloom.admits(claim.filter);
  if (!isRelied || (await new BloomEvidence(chain, block, verification).isUseful())) return bloom;
  return undefined;
}

/** `undefined` when the receipts root is not requested or cannot be computed. */
async function byRoot(question: Question): Promise<readonly Log[] | undefined> {
  const { chain, block, claim, known, bloom, verification } = question;
  if (verification.mode !== "receipts" && block.unprovedHeader !== "broken") return undefined;
  // A chain that omits bloom filters also has empty ones.
  const isExcluded =
    bloom && (!bloom.isEmpty || block.transactions.size === 0) && !bloom.admits(claim.filter);
  if (known.length === 0 && isExcluded) return known;
  const all = await logsByRoot(chain, block, known, verification);
  return all?.filter(fitting(claim.filter));
}

async function byBloom(question: Question): Promise<readonly Log[]> {
  const { chain, block, claim, known, bloom } = question;
  const { filter, isDoubtful } = claim;
  if (bloom && known.length === 0 && !bloom.admits(filter)) return known;
  const isSmall = block.transactions.size <= fewTransactions;
  if (bloom && !isSmall && !isDoubtful) {
    const named = await chain.logsOf(block, filter);
    if (areAlike(known, named)) return named;
  }
  const found = await byReceipts(question, bloom ? receiptsOf : completeReceipts);
  return found ?? (bloom ? byLists(question, bloom) : repeatedLogs(question));
}

/**
 * The matching logs of the block's receipts; `undefined` when the node returns none, or they do not fit the logs.
 * @param ask returns the receipts of a block, if the node does
 * @throws ReorgError when they do not match the receipts root, although those of other blocks do
 */
async function byReceipts(
  question: Question,
  ask: typeof receiptsOneByOne,
): Promise<readonly Log[] | undefined> {
  const { chain, block, claim, known, bloom, verification } = question;
  const evidence = new BloomEvidence(chain, block, verification);
  let agreed = 0;
  const { receipts: form } = verification.forms;
  let wrong: string | undefined;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const receipts = await ask(chain, block);
    if (!receipts) return undefined;
    if (!areOfAll(receipts, block)) continue;
    const proof = proveReceipts(receipts, block, verification.exceptionAt(block));
    if (receipts.length > 0) form.note(proof);
    wrong = proof.kind === "wrong" && form.isKnown ? proof.why : undefined;
    const all = withOutsiders(receipts, known);
    if (wrong !== undefined || !holdsAll(all, known)) continue;
    const own = all.filter(fitting(claim.filter));
    if (evidence.isUnexplainedBy(all)) {
      if (await evidence.outweighs(receipts, all)) return own;
      continue;
    }
    if (!bloom) await evidence.consider(receipts, all);
    const isProved = makeUpRoot(receipts, block);
    if (areAlike(own, known) && (bloom || isProved || ++agreed === agreements.receipts)) return own;
    if (isNumbered(all) && (isProved || (await isWholeList(question, all)))) return own;
  }
  if (wrong !== undefined) throw new ReorgError(`eth_getBlockReceipts: ${wrong}`);
  return undefined;
}

/** Whether these logs include every log that the node lists for the block. */
async function isWholeList({ chain, block }: Question, all: readonly Log[]): Promise<boolean> {
  const listed = await allLogs(chain, block);
  return listed !== undefined && holdsAll(all, listed);
}

/** The matching logs, after the listed logs explain the bloom filter and receipts prove the end of the list. */
async function byLists(question: Question, bloom: Bloom): Promise<readonly Log[]> {
  const { chain, block, claim, known } = question;
  let isUnexplained = false;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const all = await allLogs(chain, block);
    if (!all) return repeatedLogs(question);
    const isExplained = holdsAll(all, known) && bloom.isWithin(Bloom.of(all));
    if (isExplained && isNumbered(all)) {
      const whole = await withEnd(question, all);
      if (whole) return whole.filter(fitting(claim.filter));
    }
    isUnexplained ||= !isExplained;
  }
  // Some chains number logs in their own way, so the logs cannot be proved complete.
  if (!isUnexplained) return repeatedLogs(question);
  const found = await byReceipts(question, receiptsOneByOne);
  if (found) return found;
  throw new ReorgError(
    `the logs of block ${block.number} do not match its header: its bloom filter has bits that no log explains. If every node answers like this, use --verify receipts, which does without bloom filters`,
  );
}

/**
 * Completes a list without gaps. Only its end can be missing: logs of the last log's transaction and of later ones. Where
 * it is not known that the block numbers its logs as a whole, those of earlier transactions can be missing as well.
 * `undefined` when it is unknown whether the end is missing.
 */
async function withEnd(question: Question, all: readonly Log[]): Promise<readonly Log[] | undefined> {
  const { chain, block, claim, verification } = question;
  const last = all.at(-1);
  if (!last) return all;
  const isWhole = isNumberedAsWhole(all);
  verification.numbersAsWhole ||= isWhole && all[0]?.transactionIndex !== last.transactionIndex;
  const from = isWhole && verification.numbersAsWhole ? last.transactionIndex : 0;
  const receipts = await endReceipts(chain, block, from);
  if (receipts) return inOrder([...all, ...receipts.flatMap(({ logs }) => ownOf(block, logs))]);
  verification.cannotProve(
    "the node returns no receipts, so logs of blocks near the head are queried in two ways instead",
  );
  const ranged = await chain.logs(block.number, block.number, claim.filter);
  return holdsAll(all, ownOf(block, ranged)) ? all : undefined;
}

/** The receipts of the transactions of a block from an index on; `undefined` when the node returns none. */
async function endReceipts(chain: Chain, block: Block, from: number): ReturnType<typeof receiptsOf> {
  const hashes = [...block.transactions.values()]
    .filter(({ index }) => index >= from)
    .map(({ hash }) => hash);
  try {
    const receipts = await Promise.all(hashes.map((hash) => chain.receipt(hash)));
    const own = receipts.flatMap((receipt) => (receipt?.block.hash === block.hash ? receipt : []));
    if (own.length === hashes.length) return own;
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
  // Skipping a missing receipt would accept a list that may be incomplete.
  throw new ReorgError(`receipts of block ${block.number} are missing or belong to a different block`);
}

/**
 * Logs on which the answers to two different requests agree, and which include all logs seen before: several times if
 * there is no other proof, since several nodes of a pool may lack a block.
 */
async function repeatedLogs({
  chain,
  block,
  claim,
  known,
  bloom,
  verification,
}: Question): Promise<readonly Log[]> {
  const needed = bloom ? 1 : agreements.lists;
  if (!bloom)
    verification.cannotProve(
      "neither bloom filters nor receipts prove the logs of blocks near the head, so they are queried several times",
    );
  let best = known;
  let agreed = 0;
  for (let attempt = 0; attempt < mostAttempts * needed; attempt++) {
    const [named, ranged] = await Promise.all([
      chain.logsOf(block, claim.filter),
      chain.logs(block.number, block.number, claim.filter),
    ]);
    const own = ownOf(block, ranged);
    for (const list of [named, own]) {
      if (list.length <= best.length) continue;
      best = list;
      agreed = 0;
    }
    if (areAlike(named, own) && holdsAll(named, best) && ++agreed === needed) return named;
  }
  throw new ReorgError(`the node returns different logs of block ${block.number} every time`);
}
