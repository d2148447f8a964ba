import { Bloom } from "../../runtime/chain/bloom.js";
import type { Log } from "../../runtime/chain/chain.js";
import type { BlockFact, BlockFacts } from "./block-facts.js";
import type { Claim } from "./claims.js";
import type { Findings } from "./findings.js";
import { readAnswer } from "./json-answer.js";
import type { Segment } from "./manifest.js";
import type { KeptAnswer } from "./segments.js";
import { pathOf } from "./verify-blocks.js";

/** Holds logs against their claims, and against the blocks that the archive has. */
export async function verifyLogs(
  segment: Segment,
  logs: readonly Log[],
  claims: readonly Claim[],
  blocks: BlockFacts,
  findings: Findings,
): Promise<void> {
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
    if (fact && fact.hash !== hash)
      tell("block", `${name} is of the hash ${hash}, but the block is ${fact.hash}${inFile(fact)}`, fact);
    else if (fact && bloom && !bloom.admitsLog(log))
      tell("bloom", `${name} is not admitted by the bloom filter of its block${inFile(fact)}`, fact);
    before = log;
  }
}

/** Holds answers against the blocks that the archive has. */
export async function verifyAnswers(
  segment: Segment,
  answers: readonly KeptAnswer[],
  blocks: BlockFacts,
  findings: Findings,
): Promise<void> {
  for (const { block, hash, question, answer } of answers) {
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
  return step > 0 || (step === 0 && log.logIndex > before.logIndex);
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
