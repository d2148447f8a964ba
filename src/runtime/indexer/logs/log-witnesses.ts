import { groupBy } from "../../../base/group-by.js";
import type { Chain, Log, LogCut, LogFilter } from "../../chain/chain.js";
import { areSameLog, logKey } from "../../chain/log-order.js";
import { mergeLogs } from "../../chain/rpc/logs-request.js";
import { areAlike } from "./log-lists.js";
import { type BlockRange, Tails } from "./tails.js";

/** Up to this many blocks in which two witnesses differ are checked one by one. */
const mostDisputed = 32;
/** Up to this many blocks after the last log of both witnesses are checked one by one. */
const mostOpen = 64;

/** A range of blocks, both ends inclusive, and the state of the chain. */
export interface WindowRange extends BlockRange {
  /** The last settled block, which no reorg will replace. */
  readonly settledTo: number;
  /** The last block that every node of a pool has. */
  readonly sharedTo: number;
}

/** What the witnesses report about the logs of a range. */
export interface Testimony {
  /** The logs that any witness has seen, sorted by block and log index. */
  readonly logs: readonly Log[];
  /** The logs that the first witness has not seen. */
  readonly late: ReadonlySet<Log>;
  /** Settled blocks whose logs are in doubt. */
  readonly doubtful: ReadonlySet<number>;
  /** Where the first witness's answers end. */
  readonly tails: Tails;
}

interface Witness {
  readonly logs: readonly Log[];
  readonly tails: Tails;
}

/** Asks one witness, for blocks that are confirmed one by one. */
export async function askOnce(chain: Chain, range: BlockRange, filter: LogFilter): Promise<Testimony> {
  const ends = parityOf(range.to);
  const { logs, tails } = await hear(chain, [range], filter, ends);
  return { logs, late: new Set(), doubtful: new Set(), tails };
}

/**
 * Asks two witnesses about a range whose headers are not all fetched. Every node has these blocks, so an answer can
 * lack logs only because of truncation or a gap in a node's index. Repeating the same request does not reveal
 * truncation, nor does a different range that ends at the same block. So the answers of one witness end at even blocks
 * and those of the other at odd blocks, the last one beyond the range. Blocks where they differ, and blocks after the
 * last log of both, are in doubt: they are checked one by one, or by a third range. This transfers and decodes each log
 * twice, while the handlers of the previous window run.
 * @throws ReorgError, ChainError
 */
export async function askTwice(chain: Chain, range: WindowRange, filter: LogFilter): Promise<Testimony> {
  const end = Math.min(range.to, range.settledTo);
  const settled = (logs: readonly Log[]): readonly Log[] => logs.filter(({ block }) => block.number <= end);
  const parts = secondRanges(range, end);
  const [first, second] = await Promise.all([
    askOnce(chain, range, filter),
    hear(chain, parts, filter, parityOf(range.to + 1)),
  ]);
  const [one, other] = [settled(first.logs), settled(second.logs)];
  const disputed = areAlike(one, other) ? [] : [...lacking(one, other), ...lacking(other, one)];
  const seen = areEqual(one, other) ? first.logs : unionOf(first.logs, other);
  if (new Set(disputed).size > mostDisputed && range.from < end) return askHalves(chain, range, filter, seen);
  const open = openBlocks(first.tails.shared(second.tails), end);
  const third =
    open.size > mostOpen ? settled(await chain.logs(...thirdRange(open, parts, range), filter)) : [];
  const logs = unionOf(seen, third);
  const looked = open.size <= mostOpen ? open : blocksOf(logs).filter((block) => open.has(block));
  const doubtful = new Set([...disputed, ...lacking(third, seen), ...looked]);
  return { logs, late: addedTo(first.logs, logs), doubtful, tails: first.tails };
}

/** Queries a range in halves, with new requests, when the witnesses differ in too many blocks. */
async function askHalves(
  chain: Chain,
  range: WindowRange,
  filter: LogFilter,
  seen: readonly Log[],
): Promise<Testimony> {
  const middle = Math.floor((range.from + Math.min(range.to, range.settledTo)) / 2);
  const one = await askTwice(chain, { ...range, to: middle }, filter);
  const other = await askTwice(chain, { ...range, from: middle + 1 }, filter);
  const again = [...one.logs, ...other.logs];
  const logs = unionOf(again, seen);
  return {
    logs,
    late: new Set([...one.late, ...other.late, ...addedTo(again, logs)]),
    doubtful: new Set([...one.doubtful, ...other.doubtful, ...lacking(seen, again)]),
    tails: other.tails,
  };
}

async function hear(
  chain: Chain,
  ranges: readonly BlockRange[],
  filter: LogFilter,
  ends: LogCut["ends"],
): Promise<Witness> {
  const tails = new Tails();
  const onTail: LogCut["onTail"] = (query, from, to) => tails.add(query, from, to);
  const found = await Promise.all(
    ranges.map(({ from, to }) => chain.logs(from, to, filter, { ends, onTail })),
  );
  return { logs: found.flat(), tails };
}

/** Splits a range into two parts, neither of which ends where the range does: the second goes beyond it. */
function secondRanges({ from, to, sharedTo }: WindowRange, end: number): readonly BlockRange[] {
  const ends = parityOf(to + 1);
  const width = end - from + 1;
  const beyond = Math.max(end + 1, Math.min(end + Math.floor(width / 4), sharedTo - 2));
  const last = beyond + (parityOf(beyond) === ends ? 0 : 1);
  const half = from + Math.floor(width / 2);
  const middle = half - (parityOf(half) === ends ? 0 : 1);
  if (middle < from || middle >= end) return [{ from, to: last }];
  return [
    { from, to: middle },
    { from: middle + 1, to: last },
  ];
}

/** The range from the first open block to an end that no other answer had. */
function thirdRange(
  open: ReadonlySet<number>,
  parts: readonly BlockRange[],
  { to }: BlockRange,
): [from: number, to: number] {
  const last = Math.max(...parts.map((part) => part.to)) + 1;
  return [Math.min(...open), last === to ? last + 2 : last];
}

function openBlocks(ranges: readonly BlockRange[], end: number): ReadonlySet<number> {
  const open = new Set<number>();
  for (const { from, to } of ranges) {
    for (let block = from; block <= Math.min(to, end); block++) open.add(block);
  }
  return open;
}

/** Whether lists contain the same logs in the same block numbers. */
function areEqual(one: readonly Log[], other: readonly Log[]): boolean {
  return areAlike(one, other) && one.every(({ block }, index) => block.number === other[index]?.block.number);
}

function blocksOf(logs: readonly Log[]): readonly number[] {
  return logs.map(({ block }) => block.number);
}

/** The logs of a merged list that were not in the list before. */
function addedTo(before: readonly Log[], logs: readonly Log[]): ReadonlySet<Log> {
  if (before === logs) return new Set();
  const known = new Set(before);
  return new Set(logs.filter((log) => !known.has(log)));
}

/** The blocks of logs that another list lacks. */
function lacking(logs: readonly Log[], other: readonly Log[]): readonly number[] {
  if (logs.length === 0) return [];
  const known = groupBy(other, logKey);
  return logs
    .filter((log) => !known.get(logKey(log))?.some((twin) => areSameLog(log, twin)))
    .map(({ block }) => block.number);
}

/** The union of two lists. For logs that both contain, it takes the objects of the first list. */
function unionOf(one: readonly Log[], other: readonly Log[]): readonly Log[] {
  return other.length === 0 ? one : mergeLogs([one, other]);
}

function parityOf(block: number): 0 | 1 {
  return block % 2 === 0 ? 0 : 1;
}
