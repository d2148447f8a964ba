import { invariant } from "../../base/invariant.js";
import {
  type Block,
  ChainError,
  type Log,
  type LogFilter,
  type Receipt,
  ReorgError,
  type Trace,
} from "../../runtime/chain/chain.js";
import { confirmedRange } from "../../runtime/indexer/confirmed-range.js";
import { wholeReceipts } from "../../runtime/indexer/whole-receipts.js";
import { blockRow, logRow, transactionRows } from "../rows/raw-rows.js";
import { traceRows } from "../rows/trace-rows.js";
import { erc20Row, erc721Row, erc1155Rows, transferTopics } from "../rows/transfer-rows.js";
import type { DatasetRow } from "../tables/dataset.js";
import type { Extraction, ExtractionSource, RowBatch } from "./extraction.js";

/** A range of an extraction. */
export interface RangeQuestion extends Extraction {
  /** The chain head. */
  readonly newest: number;
}

const allLogs: LogFilter = [{ addresses: [], topics: undefined }];
/** Blocks that are fetched at once. */
const atOnce = 25;

/** All rows of a range. @throws as `extract` */
export async function rowsOfRange(source: ExtractionSource, question: RangeQuestion): Promise<RowBatch> {
  return { from: question.from, to: question.to, rows: await rowsOf(source, question) };
}

async function rowsOf(source: ExtractionSource, question: RangeQuestion): Promise<readonly DatasetRow[]> {
  const { kind, decoder } = question;
  const { transfer, single, batch } = transferTopics;
  switch (kind) {
    case "raw_blocks":
      return everyBlock(source, question, async (block) => [blockRow(block)]);
    case "raw_transactions":
      return everyReceipt(source, question, (block, receipts) => transactionRows(block, byHash(receipts)));
    case "raw_logs":
      if (question.addresses)
        return everyLog(source, question, undefined, (log, time) => [logRow(log, time)]);
      return everyLogByReceipts(source, question);
    case "raw_traces":
      return everyBlock(source, question, async (block) => traceRows(block, await tracesOf(source, block)));
    case "decoded_logs":
      invariant(decoder, "decoded logs need a decoder");
      return everyLog(source, question, decoder.topics, (log, time) => [decoder.row(log, time)]);
    case "erc20_transfers":
      return everyLog(source, question, [transfer], (log, time) => [erc20Row(log, time)]);
    case "erc721_transfers":
      return everyLog(source, question, [transfer], (log, time) => [erc721Row(log, time)]);
    case "erc1155_transfers":
      return everyLog(source, question, [single, batch], erc1155Rows);
  }
}

/** Rows of logs with one of some first topics; of all logs for `undefined`. The node filters. */
async function everyLog(
  { chain, verification, archive }: ExtractionSource,
  question: RangeQuestion,
  topics: readonly string[] | undefined,
  rowsOfLog: (...parameters: Parameters<typeof erc1155Rows>) => readonly (DatasetRow | undefined)[],
): Promise<readonly DatasetRow[]> {
  const filter: LogFilter = [{ addresses: question.addresses ?? [], topics }];
  const found = await confirmedRange(chain, question, filter, verification, archive);
  return found.flatMap(({ block, logs }) =>
    logs.flatMap((log) => rowsOfLog(log, block.timestamp).filter((row) => row !== undefined)),
  );
}

/** Rows of the logs of all contracts. An archive keeps the logs as well, so that it has those of every contract. */
async function everyLogByReceipts(
  source: ExtractionSource,
  question: RangeQuestion,
): Promise<readonly DatasetRow[]> {
  const { verification, archive } = source;
  const found = await everyReceipt(source, question, (block, receipts) =>
    logsOf(receipts).map((log) => ({ log, time: block.timestamp })),
  );
  const { from, to } = question;
  const isKept = await archive?.knownLogs({ from, to }, allLogs, verification.proof);
  const logs = found.map(({ log }) => log);
  if (!isKept) await archive?.keepLogs({ from, to }, allLogs, verification.proof, logs);
  return found.map(({ log, time }) => logRow(log, time));
}

/** What is made of each block with all of its receipts, in the order of blocks. */
function everyReceipt<T>(
  source: ExtractionSource,
  question: RangeQuestion,
  make: (block: Block, receipts: readonly Receipt[]) => readonly T[],
): Promise<readonly T[]> {
  return everyBlock(source, question, async (block) =>
    make(block, await wholeReceipts(source.chain, block, source.verification)),
  );
}

/** What is made of each block of a range, in their order. Each block follows the one before it. */
async function everyBlock<T>(
  { chain, archive }: ExtractionSource,
  { from, to }: RangeQuestion,
  make: (block: Block) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let before: Block | undefined;
  for (let start = from; start <= to; start += atOnce) {
    const count = Math.min(atOnce, to - start + 1);
    const blocks = await chain.blocks(Array.from({ length: count }, (_, index) => start + index));
    for (const block of blocks) {
      if (before && before.hash !== block.parentHash)
        throw new ReorgError(`block ${block.number} does not follow the block before it`);
      before = block;
    }
    for (const made of await Promise.all(blocks.map(make))) all.push(...made);
    for (const block of blocks) await archive?.keepBlock(block);
  }
  return all;
}

async function tracesOf({ chain }: ExtractionSource, block: Block): Promise<readonly Trace[]> {
  if (chain.traces) return chain.traces(block);
  throw new ChainError("this chain cannot be asked for traces");
}

function logsOf(receipts: readonly Receipt[]): readonly Log[] {
  return receipts.flatMap(({ logs }) => logs).sort((one, other) => one.logIndex - other.logIndex);
}

function byHash(receipts: readonly Receipt[]): ReadonlyMap<string, Receipt> {
  return new Map(receipts.map((receipt) => [receipt.transactionHash, receipt]));
}
