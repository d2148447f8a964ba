import { groupBy } from "../../../base/group-by.js";
import type { Log } from "../../../runtime/chain/chain.js";
import { isOutsideTransactions } from "../../../runtime/chain/log-order.js";
import { Bloom } from "../../../runtime/chain/proof/bloom.js";
import type { BlockFact, BlockFacts } from "../block-facts.js";
import { readAnswer } from "../json-answer.js";
import { receiptQuestion } from "../kept-receipts.js";
import type { BlockLogs, ReceiptLogs } from "../receipt-logs.js";
import type { Claim } from "../segments/claims.js";
import type { Segment } from "../segments/manifest.js";
import type { KeptAnswer } from "../segments/segments.js";
import type { Findings } from "./findings.js";
import type { Recomputed } from "./recomputed.js";
import { pathOf } from "./verify-blocks.js";

/** What logs are compared with. */
export interface LogWitnesses {
  readonly blocks: BlockFacts;
  readonly receipts: ReceiptLogs;
  /** Numbers of blocks whose receipts match the root in their header. */
  readonly proven: ReadonlySet<number>;
}

/** Checks logs against their claims, blocks and receipts in the archive. */
export async function verifyLogs(
  segment: Segment,
  logs: readonly Log[],
  claims: readonly Claim[],
  { blocks, receipts, proven }: LogWitnesses,
  findings: Findings,
  recomputed: Recomputed,
): Promise<void> {
  const held = await verifyByReceipts(segment, logs, claims, receipts, proven, findings);
  const tell = (sort: string, why: string, fact?: BlockFact): void =>
    findings.add(pathOf(segment), sort, why, fact ? [segment, fact.segment] : [segment]);
  const isClaimed = claimTest(claims);
  let before: Log | undefined;
  let fact: BlockFact | undefined;
  let bloom: Bloom | undefined;
  for (const log of logs) {
    const { number, hash } = log.block;
    const name = `log ${log.logIndex} of block ${number}`;
    if (before && !follows(before, log)) tell("order", `${name} is not in its order`);
    if (before?.block.number === number && before.block.hash !== hash)
      tell("hashes", `logs of block ${number} are of the hashes ${before.block.hash} and ${hash}`);
    if (!isClaimed(log)) tell("claims", `${name} is of no range, address and topic that the segment claims`);
    if (before?.block.number !== number) {
      fact = await blocks.of(number);
      bloom = Bloom.parse(fact?.logsBloom);
    }
    const isEmpty = bloom?.isEmpty === true && fact?.isProvable === false;
    if (proven.has(number) && held.has(number)) recomputed.add("log");
    else recomputed.leave("log", whyNotProved(held.has(number), fact, isEmpty ? undefined : bloom));
    if (fact && fact.hash !== hash)
      tell("block", `${name} is of the hash ${hash}, but the block is ${fact.hash}${inFile(fact)}`, fact);
    // Some chains' bloom filters do not match their logs. Receipts with the log outweigh the filter.
    else if (fact && bloom && !isEmpty && !held.has(number) && !bloom.admitsLog(log))
      tell("bloom", `${name} is not admitted by the bloom filter of its block${inFile(fact)}`, fact);
    before = log;
  }
}

function whyNotProved(isHeld: boolean, fact: BlockFact | undefined, bloom: Bloom | undefined): string {
  if (isHeld) return "held against receipts that do not make a receipts root";
  if (!fact) return "of blocks whose headers the archive does not have";
  return bloom
    ? "held against bloom filters alone, which do not cover data"
    : "of blocks without receipts in the archive and without a bloom filter";
}

/** Checks logs against the receipts of their blocks. @returns the numbers of the blocks with receipts */
async function verifyByReceipts(
  segment: Segment,
  logs: readonly Log[],
  claims: readonly Claim[],
  receipts: ReceiptLogs,
  proven: ReadonlySet<number>,
  findings: Findings,
): Promise<ReadonlySet<number>> {
  const isClaimed = claimTest(claims);
  const own = new Map<number, Log[]>();
  for (const log of logs) {
    const list = own.get(log.block.number);
    if (list) list.push(log);
    else own.set(log.block.number, [log]);
  }
  const held = new Set<number>();
  for await (const block of receipts.within(segment)) {
    held.add(block.number);
    // A proved receipt is not to blame.
    const blamed = proven.has(block.number) ? [segment] : [segment, block.segment];
    for (const why of differences(own.get(block.number) ?? [], block, isClaimed))
      findings.add(pathOf(segment), "receipts", `${why}, in ${pathOf(block.segment)}`, blamed);
  }
  return held;
}

/** How a block's logs differ from its receipts. */
function differences(
  own: readonly Log[],
  { number, hash, logs, optional }: BlockLogs,
  isClaimed: (log: Log) => boolean,
): readonly string[] {
  const found: string[] = [];
  const byIndex = groupBy(logs, ({ logIndex }) => logIndex);
  const met = new Set<Log>();
  for (const log of own) {
    // Logs outside transactions are in no receipt.
    if (log.block.hash !== hash || isOutsideTransactions(log)) continue;
    const sameIndex = byIndex.get(log.logIndex) ?? [];
    const twin =
      sameIndex.find(({ transactionHash }) => transactionHash === log.transactionHash) ?? sameIndex[0];
    if (twin) met.add(twin);
    const name = `log ${log.logIndex} of block ${number}`;
    const field = twin && comparedFields.find((one) => fieldText(log, one) !== fieldText(twin, one));
    if (!twin) found.push(`${name} is not in the receipts of the block`);
    else if (field)
      found.push(
        `${name} has the ${fieldNames[field]} ${shortened(fieldText(log, field))}, but the receipts of the block have ${shortened(fieldText(twin, field))}`,
      );
  }
  for (const log of logs) {
    if (met.has(log) || optional.has(log)) continue;
    if (isClaimed({ ...log, block: { number, hash } }))
      found.push(`log ${log.logIndex} of block ${number} is left out, but the receipts of the block have it`);
  }
  return found;
}

const fieldNames = {
  address: "address",
  topics: "topics",
  data: "data",
  transactionHash: "transaction",
  transactionIndex: "transaction index",
} as const;

const comparedFields = Object.keys(fieldNames) as readonly (keyof typeof fieldNames)[];

function fieldText(log: Log, field: keyof typeof fieldNames): string {
  return String(log[field]);
}

/** Checks answers against the archive's blocks. */
export async function verifyAnswers(
  segment: Segment,
  answers: readonly KeptAnswer[],
  blocks: BlockFacts,
  findings: Findings,
  recomputed: Recomputed,
): Promise<void> {
  for (const one of answers) {
    const { block, hash, question, answer } = one;
    if (receiptQuestion(one) === undefined) recomputed.leave("answer", whyNotAnswered(question));
    const tell = (sort: string, why: string, fact?: BlockFact): void =>
      findings.add(pathOf(segment), sort, why, fact ? [segment, fact.segment] : [segment]);
    const name = `the answer to "${shortened(question)}"`;
    if (!question.includes(` ${hash}`))
      tell("question", `${name} is of block ${block} with the hash ${hash}`);
    if (!isReadable(answer)) tell("answer", `${name} cannot be read`);
    const fact = await blocks.of(block);
    if (fact && fact.hash !== hash)
      tell(
        "block",
        `${name} is of block ${block} with the hash ${hash}, but the block is ${fact.hash}${inFile(fact)}`,
        fact,
      );
  }
}

function whyNotAnswered(question: string): string {
  const [kind] = question.split(" ");
  if (kind === "logs") return "logs of single blocks, which are kept without their proof";
  return kind === "calls" || kind === "traces"
    ? "traces, which can only be made again by running the block"
    : "reads, balances and code, which can only be proved by the state of the chain";
}

function claimTest(claims: readonly Claim[]): (log: Log) => boolean {
  const byAddress = new Map<
    string | undefined,
    { readonly topics: ReadonlySet<string> | undefined; readonly claim: Claim }[]
  >();
  for (const claim of claims) {
    const list = byAddress.get(claim.address) ?? [];
    list.push({ topics: claim.topics && new Set(claim.topics), claim });
    byAddress.set(claim.address, list);
  }
  return ({ address, topics: [first = ""], block: { number } }) =>
    [address, undefined].some((key) =>
      byAddress
        .get(key)
        ?.some(
          ({ topics, claim }) => claim.from <= number && number <= claim.to && (topics?.has(first) ?? true),
        ),
    );
}

function follows(before: Log, log: Log): boolean {
  const step = log.block.number - before.block.number;
  if (step !== 0) return step > 0;
  // Some chains number logs per transaction.
  return log.logIndex > before.logIndex || log.transactionIndex > before.transactionIndex;
}

function isReadable(answer: string): boolean {
  try {
    readAnswer(answer);
    return true;
  } catch {
    return false;
  }
}

function inFile({ segment }: BlockFact): string {
  return `, in ${pathOf(segment)}`;
}

function shortened(question: string): string {
  return question.length > 120 ? `${question.slice(0, 120)}…` : question;
}
