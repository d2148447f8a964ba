import { type Block, type Chain, ChainError, type Log, type Receipt, ReorgError } from "../../chain/chain.js";
import { inOrder, isOutsideTransactions, logKey } from "../../chain/log-order.js";
import {
  type BelievableProof,
  foreignReceipts,
  isProvedHeader,
  type Proof,
  proveReceipts,
  wrongGas,
} from "../../chain/proof/block-proof.js";
import { Bloom } from "../../chain/proof/bloom.js";
import { uncertainType } from "../../chain/proof/receipts-root.js";
import { neighbours } from "../neighbours.js";
import { allLogs, BloomEvidence, bloomOf } from "./bloom-evidence.js";
import { isNumbered } from "./log-lists.js";
import { completeReceipts, missingReceipts, RootMismatchError, receiptsByRoot } from "./logs-by-root.js";
import { wrongFacts } from "./receipt-facts.js";
import { areOfAll } from "./receipts-of.js";
import type { Verification } from "./verification.js";

const mostAttempts = 6;

/** All receipts of a block, and how they are proved: `unknown` where they are only believed. */
export interface WholeReceipts {
  readonly receipts: readonly Receipt[];
  /** All logs of the block, in order: the logs of receipts, and logs without a transaction. */
  readonly logs: readonly Log[];
  readonly proof: BelievableProof;
}

/** A contradiction between an answer and its block. */
interface Fault {
  readonly of: "root" | "gas" | "facts";
  readonly why: string;
}

/** The notes to report once if the chain itself contradicts its blocks. */
const beliefs = {
  root: foreignReceipts,
  gas: "the gas of single transactions is believed: on this chain, it is not the growth of its sum",
  facts: "what receipts repeat of their transactions is believed: on this chain, the two differ",
} as const satisfies Record<Fault["of"], string>;

/** Reported once if a block has logs that belong to no transaction, such as zkSync's system logs. */
export const outsideLogs =
  "logs that belong to no transaction are believed: no receipt has them, so that no receipts root covers them";

/**
 * The receipts of all transactions of a block, with all of their logs. The receipts root is checked in every mode,
 * because it takes no further request; receipts that no root covers are checked against the transactions. If a root
 * cannot be computed, the bloom filter in the header is the proof, unless `verification` needs none: logs must set
 * exactly its bits, and be numbered without gaps.
 * @param newest the chain head
 * @throws ReorgError when the node's receipts do not fit the block; ChainError when it returns none
 */
export async function wholeReceipts(
  chain: Chain,
  block: Block,
  verification: Verification,
  newest: number,
): Promise<WholeReceipts> {
  const evidence = new BloomEvidence(chain, block, verification);
  const believe = async (receipts: readonly Receipt[], why: string): Promise<WholeReceipts | undefined> => {
    const logs = await logsOf(chain, block, receipts, verification);
    if (verification.mode !== "off" && !(await areBelieved(receipts, logs, block, evidence, verification)))
      return undefined;
    verification.believes(why);
    return { receipts, logs, proof: { kind: "unknown", why } };
  };
  let last: readonly Receipt[] | undefined;
  let fault: Fault | undefined;
  let incomplete: readonly Receipt[] | undefined;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const isStrict = verification.mode === "receipts" && attempt === 1;
    const { receipts, isProved } = await oneAnswer(chain, block, verification, isStrict);
    if (!areOfAll(receipts, block)) {
      incomplete = receipts;
      continue;
    }
    incomplete = undefined;
    last = receipts;
    const proof = isProved ? proved : proveReceipts(receipts, block, verification.exceptionAt(block));
    if (proof.kind === "unknown") {
      const found = await believe(receipts, proof.why);
      if (found) return found;
      continue;
    }
    verification.forms.receipts.note(proof);
    fault = proof.kind === "wrong" ? { of: "root", why: proof.why } : faultOf(receipts, block);
    if (!fault && block.transactions.size > 1) verification.forms.gas.note(proof);
    if (!fault && proof.kind === "proved") {
      const own = receipts.flatMap(({ logs }) => logs);
      if (verification.isEthereum || !evidence.isUnexplainedBy(own)) return { receipts, logs: own, proof };
      // Bits that the receipts do not explain may come from logs of no transaction. Otherwise the filter is useless.
      const logs = await logsOf(chain, block, receipts, verification);
      if (evidence.isUnexplainedBy(logs)) await evidence.outweighs(receipts, logs);
      return { receipts, logs, proof };
    }
    if (fault && fault.of !== "root" && verification.isBelieved(beliefs[fault.of])) break;
  }
  if (last && fault && !verification.isEthereum) {
    const { receipts: roots, gas } = verification.forms;
    if (fault.of === "root") {
      const outside = (await outsideOf(chain, block, last)).length > 0;
      const whole = outside ? await believe(last, outsideLogs) : undefined;
      if (whole) return whole;
      const others = neighbours(chain, block, newest, roots.isKnown, (other) =>
        rootOfNeighbour(chain, other, verification),
      );
      const found = (await roots.isForeign(others)) && (await believe(last, beliefs.root));
      if (found) return found;
    } else if (fault.of === "facts" || !gas.isKnown || verification.isBelieved(beliefs.gas)) {
      verification.believes(beliefs[fault.of]);
      const logs = await logsOf(chain, block, last, verification);
      return { receipts: last, logs, proof: { kind: "unknown", why: beliefs[fault.of] } };
    }
  }
  if (incomplete) throw new ReorgError(`${missingReceipts(incomplete, block)}. Use a node that has them`);
  throw new ReorgError(
    `eth_getBlockReceipts: ${fault?.why ?? `the receipts of block ${block.number} do not match its header`}`,
  );
}

const proved: Proof = { kind: "proved" };

/** One answer of the node, which may lack receipts. @param isStrict whether to try every proof */
async function oneAnswer(
  chain: Chain,
  block: Block,
  verification: Verification,
  isStrict: boolean,
): Promise<{ readonly receipts: readonly Receipt[]; readonly isProved: boolean }> {
  if (isStrict) {
    try {
      const receipts = await receiptsByRoot(chain, block, [], verification);
      if (receipts) return { receipts, isProved: true };
    } catch (error) {
      if (!(error instanceof RootMismatchError)) throw error;
    }
  }
  const receipts = await completeReceipts(chain, block);
  if (!receipts)
    throw new ChainError(`the node returns no receipts of block ${block.number}; use a node that does`);
  return { receipts, isProved: false };
}

/** The logs of receipts, and logs without a transaction. */
async function logsOf(
  chain: Chain,
  block: Block,
  receipts: readonly Receipt[],
  verification: Verification,
): Promise<readonly Log[]> {
  const own = receipts.flatMap(({ logs }) => logs);
  const outside = verification.isEthereum ? [] : await outsideOf(chain, block, receipts);
  if (outside.length === 0) return own;
  verification.believes(outsideLogs);
  return inOrder([...own, ...outside]);
}

/**
 * The logs that the node lists for a block, that belong to no transaction, and that none of its receipts contains.
 */
async function outsideOf(chain: Chain, block: Block, receipts: readonly Receipt[]): Promise<readonly Log[]> {
  const listed = (await allLogs(chain, block)) ?? [];
  const known = new Set(receipts.flatMap(({ logs }) => logs.map(logKey)));
  return listed.filter((log) => isOutsideTransactions(log) && !known.has(logKey(log)));
}

async function rootOfNeighbour(chain: Chain, block: Block, verification: Verification): Promise<Proof> {
  const receipts = await completeReceipts(chain, block);
  if (!receipts || !areOfAll(receipts, block)) return { kind: "unknown", why: beliefs.root };
  return proveReceipts(receipts, block, verification.exceptionAt(block));
}

/**
 * Checks what no root covers: the gas of single transactions, and repetitions of other fields in receipts and logs.
 */
function faultOf(receipts: readonly Receipt[], block: Block): Fault | undefined {
  if (!isProvedHeader(block) || uncertainType(receipts) !== undefined) return undefined;
  const gas = wrongGas(receipts, block);
  if (gas !== undefined) return { of: "gas", why: gas };
  const facts = wrongFacts(receipts, block);
  return facts === undefined ? undefined : { of: "facts", why: facts };
}

/** Whether logs set the bits of the header's bloom filter and no others, or outweigh it. Some chains leave it empty. */
async function areBelieved(
  receipts: readonly Receipt[],
  logs: readonly Log[],
  block: Block,
  evidence: BloomEvidence,
  verification: Verification,
): Promise<boolean> {
  verification.noteHeader(block);
  const bloom = bloomOf(block);
  if (bloom && !bloom.isEmpty && !verification.distrustsBloomOf(block) && Bloom.of(logs).hex === bloom.hex)
    return isNumbered(logs);
  if (evidence.isUnexplainedBy(logs)) return evidence.outweighs(receipts, logs);
  await evidence.consider(receipts, logs);
  return logs.length === 0 || isNumbered(logs);
}
