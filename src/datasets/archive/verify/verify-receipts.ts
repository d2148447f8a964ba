import { getBytes } from "ethers/utils";
import type { RootException } from "../../../chains/chain.js";
import type { Receipt } from "../../../runtime/chain/chain.js";
import {
  encodeReceipt,
  hasReceiptsRoot,
  haveLogsOf,
  isStateSync,
  uncertainType,
} from "../../../runtime/chain/proof/receipts-root.js";
import { trieRoot } from "../../../runtime/chain/proof/trie-root.js";
import { type BlockFact, type BlockFacts, listDigest } from "../block-facts.js";
import { type KeptReceipts, keptReceipts } from "../kept-receipts.js";
import type { Segment } from "../segments/manifest.js";
import type { KeptAnswer } from "../segments/segments.js";
import type { Findings } from "./findings.js";
import type { Recomputed } from "./recomputed.js";
import { pathOf } from "./verify-blocks.js";
import { strangeHeader } from "./verify-roots.js";

/** The outcome of recomputing the receipts root of a block. */
type Verdict = { readonly kind: "proved" } | { readonly kind: "wrong" | "unknown"; readonly why: string };

/**
 * Recomputes receipts roots from the receipts that a segment has, and compares them with headers.
 * @param exception receipts that this chain's roots do not cover as usual
 * @param proven receives the numbers of the blocks whose receipts match the root
 * @returns the number of blocks with all receipts in the segment
 */
export async function verifyReceipts(
  segment: Segment,
  answers: readonly KeptAnswer[],
  blocks: BlockFacts,
  exception: RootException | undefined,
  {
    findings,
    recomputed,
    proven,
  }: {
    readonly findings: Findings;
    readonly recomputed: Recomputed;
    readonly proven: Set<number>;
  },
): Promise<number> {
  let whole = 0;
  const kept = keptReceipts(answers, ({ block, question }) =>
    findings.add(pathOf(segment), "form", `the answer to "${question}", of block ${block}, has no receipts`, [
      segment,
    ]),
  );
  for (const one of kept) {
    if (one.whole) whole += 1;
    const fact = await blocks.of(one.number);
    if (fact?.hash !== one.hash) {
      recomputed.leave("receipts root", "blocks whose headers the archive does not have");
      continue;
    }
    const verdict = judge(one, fact, exception, recomputed);
    if (verdict.kind === "unknown") recomputed.leave("receipts root", verdict.why);
    else if (verdict.kind === "wrong")
      findings.add(
        pathOf(segment),
        "receipts",
        `${verdict.why}, in ${pathOf(fact.segment)}`,
        suspectSegments(segment, fact),
      );
    else {
      recomputed.add("receipts root");
      proven.add(one.number);
    }
  }
  return whole;
}

/** A header that reproduces its block's hash is not to blame. */
function suspectSegments(segment: Segment, fact: BlockFact): readonly Segment[] {
  return fact.isProvable ? [segment] : [segment, fact.segment];
}

function judge(
  { number, hash, whole, raw, single }: KeptReceipts,
  fact: BlockFact,
  exception: RootException | undefined,
  recomputed: Recomputed,
): Verdict {
  const { receiptsRoot, transactions } = fact;
  if (!hasReceiptsRoot({ receiptsRoot, transactions: { size: transactions } }))
    return { kind: "unknown", why: "headers that have no receipts root" };
  const isRawRoot = raw && trieRoot(raw.map((receipt) => getBytes(receipt))) === receiptsRoot;
  const receipts = whole ?? (single.length >= transactions && transactions > 0 ? inOrder(single) : undefined);
  if (!receipts) {
    if (isRawRoot) return { kind: "proved" };
    if (!raw) return { kind: "unknown", why: "blocks of which the archive has only some receipts" };
    return wrong(
      `the encoded receipts of block ${number} do not make the root ${receiptsRoot} of its header`,
      fact,
    );
  }
  const pointer = { number, hash };
  const isUsual = receipts.length === transactions;
  const usual = isUsual ? receipts : receipts.filter((one) => !isStateSync(one, pointer));
  const ofTransactions = usual.filter(({ transactionHash }) => transactionHash !== hash);
  if (listDigest(ofTransactions.map(({ transactionHash }) => transactionHash)) !== fact.transactionsDigest)
    return wrong(`the receipts of block ${number} are not those of its transactions`, fact);
  const root = rootOf(receipts);
  if (root === receiptsRoot) return { kind: "proved" };
  const uncovered = receipts.length - usual.length;
  if (uncovered > 0 && rootOf(usual) === receiptsRoot) {
    recomputed.leave(
      "receipt",
      exception?.note ?? "receipts of state syncs, which no root covers",
      uncovered,
    );
    return { kind: "proved" };
  }
  if (isRawRoot && raw && haveLogsOf(usual, raw)) return { kind: "proved" };
  const type = uncertainType(receipts);
  if (type !== undefined && !raw)
    return { kind: "unknown", why: `receipts of type 0x${type.toString(16)}, whose encoding is not known` };
  if (exception?.kind === "block-receipt" || exception?.kind === "foreign")
    return { kind: "unknown", why: exception.note };
  return wrong(
    `the receipts of block ${number} make the root ${root}, but its header has ${receiptsRoot}`,
    fact,
  );
}

/** A mismatch is not a fault if the form of headers is unknown. */
function wrong(why: string, { isProvable }: BlockFact): Verdict {
  return isProvable ? { kind: "wrong", why } : { kind: "unknown", why: strangeHeader };
}

function rootOf(receipts: readonly Receipt[]): string {
  return trieRoot(receipts.map(encodeReceipt));
}

function inOrder(receipts: readonly Receipt[]): readonly Receipt[] {
  return [...receipts].sort((one, other) => one.transactionIndex - other.transactionIndex);
}
