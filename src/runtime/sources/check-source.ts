import { id } from "ethers/hash";
import type { Chain, LogFilter } from "../chain/chain.js";
import { logsNotIn } from "../chain/log-order.js";
import { Bloom } from "../chain/proof/bloom.js";
import { differenceOf } from "../indexer/history/block-difference.js";
import { isHashed } from "../indexer/history/history.js";
import type { HistoryBlock, HistorySource } from "../indexer/history/history-source.js";
import type { BlockRange } from "../indexer/logs/tails.js";

/** What a check of a source found. */
export interface SourceFinding {
  /** `passed`, `failed`, or `unsure` if indexing works without it, only slower. */
  readonly outcome: "passed" | "failed" | "unsure";
  /** One sentence without a full stop. */
  readonly text: string;
}

export interface SourceCheck {
  /** A node of the same chain to compare with. */
  readonly node?: Chain | undefined;
  /** Milliseconds since any fixed moment. */
  now(): number;
}

/** Blocks of each range that is read. */
const count = 100;
const transfers: LogFilter = [{ addresses: [], topics: [id("Transfer(address,address,uint256)")] }];

/**
 * Checks a source of history as indexing would use it: two short ranges of final blocks, their headers, their order, and
 * the logs of transfers, and all of that against a node.
 * @returns findings as they are made; it ends early if the source serves nothing
 * @throws ChainError if the node does not answer
 */
export async function* checkSource(
  source: HistorySource,
  { node, now }: SourceCheck,
): AsyncGenerator<SourceFinding, void, void> {
  const last = await source.reach();
  if (last < 0) return yield { outcome: "failed", text: "it serves no final blocks" };
  yield { outcome: "passed", text: `its last final block is ${last}` };
  if (node) yield behind(last, (await node.head()).number);
  const middle = Math.floor(last / 2);
  for (const from of new Set([Math.max(0, last - count + 1), middle])) {
    const range = { from, to: Math.min(last, from + count - 1) };
    const since = now();
    const blocks = await source.blocks(range, transfers);
    if (!blocks) {
      yield { outcome: "failed", text: `it does not serve ${textOf(range)}` };
      continue;
    }
    const seconds = (now() - since) / 1000;
    const logs = blocks.reduce((sum, block) => sum + block.logs.length, 0);
    yield {
      outcome: "passed",
      text: `it serves ${textOf(range)}, with ${logs} logs of transfers, in ${seconds.toFixed(1)} s`,
    };
    yield* checkBlocks(range, blocks);
    if (node) yield* compare(range, blocks, node);
  }
}

function behind(last: number, head: number): SourceFinding {
  const blocks = head - last;
  if (blocks < 0)
    return { outcome: "failed", text: `the head of the node is block ${head}, which is before that` };
  return { outcome: "passed", text: `that is ${blocks} blocks behind the head of the node` };
}

/** What blocks prove by themselves. */
function* checkBlocks(range: BlockRange, blocks: readonly HistoryBlock[]): Generator<SourceFinding> {
  const where = textOf(range);
  const hashed = blocks.filter(({ block }) => isHashed(block));
  yield hashed.length === blocks.length
    ? { outcome: "passed", text: `the headers of ${where} have the hashes of their blocks` }
    : {
        outcome: "unsure",
        text: `${blocks.length - hashed.length} of ${blocks.length} headers of ${where} do not have the hashes of their blocks: fields are missing, or the chain hashes them in its own way. Their bloom filters prove nothing, so all logs are compared with the node`,
      };
  const withLogs = blocks.filter(({ logs }) => logs.length > 0);
  if (withLogs.length === 0) return;
  const excluding = withLogs.filter(({ block, logs }) => {
    const bloom = Bloom.parse(block.logsBloom);
    return bloom && !bloom.isEmpty && !bloom.excludesNone(logs);
  });
  yield excluding.length === 0
    ? { outcome: "passed", text: `the bloom filters of ${where} admit their logs` }
    : {
        outcome: "failed",
        text: `the bloom filter of block ${excluding[0]?.block.number} excludes logs that it returned`,
      };
  const lacking = withLogs.find(({ block, logs }) =>
    logs.some(({ transactionHash }) => !block.transactions.has(transactionHash)),
  );
  yield lacking
    ? {
        outcome: "unsure",
        text: `transactions of logs in block ${lacking.block.number} are missing. Such blocks are read from the node`,
      }
    : { outcome: "passed", text: `the transactions of the logs of ${where} are there` };
}

/** What the node says about the same blocks. */
async function* compare(
  range: BlockRange,
  blocks: readonly HistoryBlock[],
  node: Chain,
): AsyncGenerator<SourceFinding, void, void> {
  const where = textOf(range);
  const ends = [blocks[0]?.block, blocks.at(-1)?.block].filter((block) => block !== undefined);
  const differences: string[] = [];
  for (const block of ends) {
    const own = await node.block(block.number);
    const difference = own ? differenceOf(block, own) : "the node has no such block";
    if (difference !== undefined) differences.push(`block ${block.number}: ${difference}`);
  }
  yield differences.length === 0
    ? { outcome: "passed", text: `the first and the last block of ${where} equal those of the node` }
    : { outcome: "failed", text: `it differs from the node in ${differences.join(", ")}` };
  const own = await node.logs(range.from, range.to, transfers);
  const given = blocks.flatMap(({ logs }) => logs);
  const missing = logsNotIn(given, own);
  const odd = logsNotIn(own, given);
  const [first] = [...missing, ...odd];
  yield first === undefined
    ? { outcome: "passed", text: `the logs of ${where} equal the list of the node` }
    : {
        outcome: "failed",
        text: `logs of ${where} differ from the list of the node: ${missing.length} are missing and ${odd.length} are not on it, the first in block ${first.block.number}`,
      };
}

function textOf({ from, to }: BlockRange): string {
  return `blocks ${from} to ${to}`;
}
