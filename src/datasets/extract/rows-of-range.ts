import { id } from "ethers/hash";
import { invariant } from "../../base/invariant.js";
import {
  type Block,
  type BlockPointer,
  ChainError,
  type Log,
  type LogFilter,
  type Receipt,
  type Trace,
} from "../../runtime/chain/chain.js";
import { clashOf, clashText, inOrder, LogClashError } from "../../runtime/chain/log-order.js";
import { BlockLinks } from "../../runtime/indexer/block-links.js";
import { confirmedRange } from "../../runtime/indexer/confirmed-range.js";
import { isHashed } from "../../runtime/indexer/history/history.js";
import type { Verification } from "../../runtime/indexer/logs/verification.js";
import { outsideLogs, type WholeReceipts, wholeReceipts } from "../../runtime/indexer/logs/whole-receipts.js";
import { unsettled } from "../../runtime/indexer/stretch.js";
import { blockRow, logRow, transactionRows } from "../rows/raw-rows.js";
import { traceRows } from "../rows/trace-rows.js";
import { erc20Row, erc721Row, erc1155Rows, transferTopics } from "../rows/transfer-rows.js";
import type { DatasetRow } from "../tables/dataset.js";
import { rowSize } from "../tables/row-size.js";
import type { Extraction, ExtractionSource, RowBatch } from "./extraction.js";
import type { Pace } from "./pace.js";
import { type Proofs, ProofTally } from "./proofs.js";
import { proveBlocks, proveHeader } from "./prove-blocks.js";

/** First topics of the events for wrapping and unwrapping native coins. */
const deposit = id("Deposit(address,uint256)");

const withdrawal = id("Withdrawal(address,uint256)");

export const wrappingTopics: readonly string[] = [deposit, withdrawal];

const zeroWord = `0x${"0".repeat(64)}`;

export interface RangeQuestion extends Extraction {
  /** The chain head. */
  readonly newest: number;
}

const incompleteHeaders = "headers of the source of history lack fields, so they are believed";
const allLogs: LogFilter = [{ addresses: [], topics: undefined }];
/** Approximate bytes of a log other than its data, as sent by the node and as stored. */
const logBytes = 1_000;

/** The data of a range, or of its first blocks if it is large. */
interface Read<T> {
  readonly from: number;
  readonly to: number;
  readonly all: readonly T[];
  readonly proofs: Proofs;
  /** The first and the last block; unknown if only blocks with logs are read. */
  readonly ends?: {
    readonly first: BlockPointer & { readonly parentHash: string };
    readonly last: BlockPointer;
  };
}

/** Rows of a range, or of its first blocks if it is large. */
export type ReadRange = RowBatch & Pick<Read<DatasetRow>, "ends">;

/**
 * Reads a range from its first block. Ends early, after a whole block, if memory should not hold more.
 * @throws as `extract`
 */
export async function rowsOfRange(
  source: ExtractionSource,
  question: RangeQuestion,
  pace: Pace,
): Promise<ReadRange> {
  const { all: rows, ...range } = await rowsOf(source, question, pace);
  return { ...range, rows };
}

async function rowsOf(
  source: ExtractionSource,
  question: RangeQuestion,
  pace: Pace,
): Promise<Read<DatasetRow>> {
  const { kind, decoder } = question;
  const { transfer, single, batch } = transferTopics;
  switch (kind) {
    case "raw_blocks":
      return everyBlock(source, question, pace, rowSize, async (block) => [blockRow(block)]);
    case "raw_transactions":
      return everyReceipt(source, question, pace, rowSize, (block, { receipts }) =>
        transactionRows(block, byHash(receipts)),
      );
    case "raw_logs":
      if (question.addresses)
        return everyLog(source, question, pace, undefined, (log, time) => [logRow(log, time)]);
      return everyLogByReceipts(source, question, pace);
    case "raw_traces":
      return everyBlock(source, question, pace, rowSize, async (block, tally) => {
        tally.believed("traces", "no hash covers traces");
        return traceRows(block, await tracesOf(source, block));
      });
    case "decoded_logs":
      invariant(decoder, "decoded logs need a decoder");
      return everyLog(source, question, pace, decoder.topics, (log, time) => [decoder.row(log, time)]);
    case "erc20_transfers": {
      const { wrapped = [] } = question;
      const wrapping = wrapped.length > 0 ? [{ addresses: wrapped, topics: wrappingTopics }] : [];
      const rowsOfLog: RowsOfLog = (log, time, logs) => [erc20Row(log, time) ?? wrappingRow(log, time, logs)];
      return everyLog(source, question, pace, [transfer], rowsOfLog, wrapping);
    }
    case "erc721_transfers":
      return everyLog(source, question, pace, [transfer], (log, time) => [erc721Row(log, time)]);
    case "erc1155_transfers":
      return everyLog(source, question, pace, [single, batch], erc1155Rows);
  }
}

/** The rows of a log. @param logs the requested logs of its block */
type RowsOfLog = (log: Log, timestamp: bigint, logs: readonly Log[]) => readonly (DatasetRow | undefined)[];

/**
 * Rows of logs with one of some first topics; of all logs if `undefined`. The node filters.
 * @param more further logs to request
 */
async function everyLog(
  source: ExtractionSource,
  question: RangeQuestion,
  pace: Pace,
  topics: readonly string[] | undefined,
  rowsOfLog: RowsOfLog,
  more: LogFilter = [],
): Promise<Read<DatasetRow>> {
  const { verification, archive, history } = source;
  const { from, to } = question;
  const filter: LogFilter = [{ addresses: question.addresses ?? [], topics }, ...more];
  const stores = { archive, history: history?.history };
  const found = await confirmedRange(history?.chain ?? source.chain, question, filter, verification, stores);
  const all: DatasetRow[] = [];
  const tally = new ProofTally();
  noteLogs(verification, tally);
  let size = 0;
  for (const { block, logs } of found) {
    if (block.lacksTransactions && !isHashed(block)) tally.believed("header", incompleteHeaders);
    else await proveHeader(source, block, tally);
    for (const log of logs) {
      // Also counts logs without a row, since they were fetched.
      size += logSize(log);
      for (const row of rowsOfLog(log, block.timestamp, logs)) if (row) all.push(row);
    }
  }
  pace.learn(to - from + 1, size);
  return { from, to, all: withDistinctIds(all), proofs: tally.proofs };
}

/** Records how a node's filtered lists of logs were proved. */
function noteLogs({ proof }: Verification, tally: ProofTally): void {
  if (proof === "receipts") tally.proved("logs");
  else
    tally.believed("logs", proof === "off" ? "--verify off" : "bloom filters do not cover the data of logs");
}

/** Rows of the logs of all contracts. An archive then stores them all, too. */
async function everyLogByReceipts(
  source: ExtractionSource,
  question: RangeQuestion,
  pace: Pace,
): Promise<Read<DatasetRow>> {
  const { verification, archive } = source;
  const blocks: BlockPointer[] = [];
  const { all, ...range } = await everyReceipt(
    source,
    question,
    pace,
    ({ log }: { readonly log: Log; readonly time: bigint }) => logSize(log),
    (block, { logs }) => {
      blocks.push({ number: block.number, hash: block.hash });
      return logsOf(logs).map((log) => ({ log, time: block.timestamp }));
    },
  );
  const { proof } = verification;
  const logs = all.map(({ log }) => log);
  if (archive && !(await archive.knownLogs(range, allLogs, proof))) {
    const settledTo = question.newest - unsettled;
    await archive.keepLogs({ range, filter: allLogs, proof, logs, settledTo, blocks });
  }
  return { ...range, all: withDistinctIds(all.map(({ log, time }) => logRow(log, time))) };
}

/** Converts each block with all of its receipts, in block order. */
function everyReceipt<T>(
  source: ExtractionSource,
  question: RangeQuestion,
  pace: Pace,
  sizeOf: (made: T) => number,
  make: (block: Block, whole: WholeReceipts) => readonly T[],
): Promise<Read<T>> {
  const { chain, verification } = source;
  return everyBlock(source, question, pace, sizeOf, async (block, tally) => {
    const whole = await wholeReceipts(chain, block, verification, question.newest);
    tally.note("receipts", whole.proof);
    if (verification.isBelieved(outsideLogs)) tally.believed("logs", outsideLogs);
    return make(block, whole);
  });
}

/** Processes each block of a range, in order. Checks that each block follows the previous one. */
async function everyBlock<T>(
  source: ExtractionSource,
  { from, to, newest }: RangeQuestion,
  pace: Pace,
  sizeOf: (made: T) => number,
  make: (block: Block, tally: ProofTally) => Promise<readonly T[]>,
): Promise<Read<T>> {
  const { chain, archive, verification } = source;
  const tally = new ProofTally();
  const all: T[] = [];
  let size = 0;
  let first: Block | undefined;
  let last: Block | undefined;
  const settledTo = newest - unsettled;
  const links = new BlockLinks({ chain, newest, settledTo, archive, verification, isGapless: true });
  let next = from;
  while (next <= to && !pace.isEnough(size)) {
    const start = next;
    const count = Math.min(pace.step, to - start + 1);
    next += count;
    const found = await chain.blocks(Array.from({ length: count }, (_, index) => start + index));
    const blocks = await proveBlocks(source, found, newest, tally);
    const proved = links.add(blocks);
    let read = 0;
    for (const block of blocks) {
      first ??= block;
      last = block;
      read += inputSize(block);
    }
    for (const made of await Promise.all(blocks.map((block) => make(block, tally)))) {
      for (const one of made) {
        const bytes = sizeOf(one);
        all.push(one);
        size += bytes;
        read += bytes;
      }
    }
    pace.learn(count, read);
    for (const block of proved) await archive?.keepBlock(block);
  }
  for (const block of await links.end()) await archive?.keepBlock(block);
  const read = { from, to: next - 1, all, proofs: tally.proofs };
  // The chain may have no block in the whole range.
  return first && last ? { ...read, ends: { first: endOf(first), last: endOf(last) } } : read;
}

/** Leaves out the transactions, to free their memory. */
function endOf({ number, hash, parentHash }: Block): Pick<Block, "number" | "hash" | "parentHash"> {
  return { number, hash, parentHash };
}

function logSize({ data }: Log): number {
  return logBytes + data.length;
}

/** Bytes of the inputs of a block's transactions, which come with every block. */
function inputSize({ transactions }: Block): number {
  let size = 0;
  for (const { input } of transactions.values()) size += input.length;
  return size;
}

async function tracesOf({ chain }: ExtractionSource, block: Block): Promise<readonly Trace[]> {
  if (chain.traces) return chain.traces(block);
  throw new ChainError("this chain cannot be asked for traces");
}

/** The logs of a block, in order. @throws LogClashError */
function logsOf(logs: readonly Log[]): readonly Log[] {
  const clash = clashOf(logs);
  if (clash) throw new LogClashError(clashText(clash));
  return inOrder(logs);
}

function byHash(receipts: readonly Receipt[]): ReadonlyMap<string, Receipt> {
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
}

/**
 * Makes the ids of log rows distinct; rows come in order. An id consists of the block's hash and the log's index. If
 * a block numbers logs per transaction, several logs would get the same id, so all ids of that block also name the
 * transaction.
 */
export function withDistinctIds(rows: readonly DatasetRow[]): readonly DatasetRow[] {
  const strange = new Set<unknown>();
  let before: DatasetRow | undefined;
  for (const row of rows) {
    if (before && before.block_hash === row.block_hash && !isOrdinary(before, row))
      strange.add(row.block_hash);
    before = row;
  }
  return strange.size === 0 ? rows : rows.map((row) => (strange.has(row.block_hash) ? named(row) : row));
}

/**
 * Whether neighbouring rows may belong to a block that numbers logs across transactions. A log may have several rows.
 */
function isOrdinary(before: DatasetRow, row: DatasetRow): boolean {
  const step = Number(row.log_index) - Number(before.log_index);
  return (
    step > 0 || (step === 0 && before.transaction_hash === row.transaction_hash && hasSamePlace(before, row))
  );
}

function hasSamePlace(one: DatasetRow, other: DatasetRow): boolean {
  return one.transaction_index === other.transaction_index;
}

function named(row: DatasetRow): DatasetRow {
  const { id, block_hash: block, transaction_hash: transaction, transaction_index: index } = row;
  const isOfNone = /^0x0*$/.test(String(transaction));
  return {
    ...row,
    id: String(id).replace(String(block), () => `${block}_${isOfNone ? index : transaction}`),
  };
}

/**
 * The row of a deposit or withdrawal of wrapped native coins in `erc20_transfers`: a transfer from or to the zero
 * address.
 * @param logs the logs of its block
 * @returns `undefined` for another log, and if the contract also emits a transfer for it in the same transaction
 */
export function wrappingRow(log: Log, timestamp: bigint, logs: readonly Log[]): DatasetRow | undefined {
  const transfer = asTransfer(log);
  if (!transfer) return undefined;
  // Leave out as many equal ones as there are transfers.
  const before = logs.filter((other) => other.logIndex < log.logIndex && isEqual(other, log));
  const transfers = logs.filter((other) => isEqual(other, transfer));
  return before.length < transfers.length ? undefined : erc20Row(transfer, timestamp);
}

function asTransfer(log: Log): Log | undefined {
  const [event, owner, more] = log.topics;
  if (!owner || more !== undefined) return undefined;
  if (event === deposit) return { ...log, topics: [transferTopics.transfer, zeroWord, owner] };
  if (event === withdrawal) return { ...log, topics: [transferTopics.transfer, owner, zeroWord] };
  return undefined;
}

/** Whether two logs of a transaction say the same thing. */
function isEqual(one: Log, other: Log): boolean {
  return (
    one.address === other.address &&
    one.transactionHash === other.transactionHash &&
    one.data === other.data &&
    one.topics.join() === other.topics.join()
  );
}
