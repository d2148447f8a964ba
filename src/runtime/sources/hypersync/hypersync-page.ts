import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { ChainError, ReorgError } from "../../chain/chain.js";
import { decodeBlock } from "../../chain/rpc/decode-block.js";
import type { HistoryBlock } from "../../indexer/history/history-source.js";
import { logsOfBlock } from "../logs-of-block.js";
import { isBlockNumber } from "../source-endpoint.js";
import { SourceFault } from "../source-fault.js";

/** An answer with the blocks of a range. */
export interface HyperSyncPage {
  /** In the order of their numbers. */
  readonly blocks: readonly HistoryBlock[];
  /** The first block that the answer does not have. */
  readonly next: number;
  /** The last block that the server has, if it says. */
  readonly height: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

const place = "a page";
const headerQuantities: ReadonlySet<string> = new Set(
  [
    ["number", "timestamp", "difficulty", "totalDifficulty", "size", "gasLimit", "gasUsed"],
    ["baseFeePerGas", "blobGasUsed", "excessBlobGas"],
  ].flat(),
);
const transactionQuantities: ReadonlySet<string> = new Set([
  "transactionIndex",
  "value",
  "gas",
  "gasPrice",
  "effectiveGasPrice",
  "nonce",
  "type",
]);
const logQuantities: ReadonlySet<string> = new Set(["logIndex", "transactionIndex"]);

/** Decodes an answer. @throws SourceFault if it is not one */
export function readHyperSyncPage(text: string): HyperSyncPage {
  const value = parseJson(text);
  if (value === undefined) throw malformed("its answer is not JSON, or was cut short");
  if (!isRecord(value) || !isBlockNumber(value.next_block)) throw malformed("its answer has no next_block");
  const height = isBlockNumber(value.archive_height) ? value.archive_height : undefined;
  const pages = Array.isArray(value.data) ? value.data : [value.data];
  const all = (name: string): readonly Json[] =>
    pages.flatMap((page) => rowsOf(isRecord(page) ? page[name] : undefined, name));
  try {
    return { blocks: blocksOf(all), next: value.next_block, height };
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof ReorgError)) throw error;
    throw malformed(`a block of its answer is malformed: ${error.message.replace(/^.*from the node: /, "")}`);
  }
}

function blocksOf(all: (name: string) => readonly Json[]): readonly HistoryBlock[] {
  const headers = all("blocks").map((row) => ({ row, number: numberOf(row.number) }));
  const known = new Set(headers.map(({ number }) => number));
  const transactions = byBlock(all("transactions"), known);
  const logs = byBlock(all("logs"), known);
  return headers
    .sort((a, b) => a.number - b.number)
    .map(({ row, number }) => {
      const own = (transactions.get(number) ?? []).map(transactionOf);
      const { block } = decodeBlock(place, { ...shaped(row, headerQuantities), transactions: own });
      return {
        block: { ...block, lacksTransactions: true },
        logs: logsOfBlock((logs.get(number) ?? []).map(logOf), block, { place, whose: "its answer" }),
      };
    });
}

function byBlock(rows: readonly Json[], known: ReadonlySet<number>): ReadonlyMap<number, readonly Json[]> {
  const groups = new Map<number, Json[]>();
  for (const row of rows) {
    const number = numberOf(row.block_number);
    if (!known.has(number)) throw malformed(`its answer has data of block ${number} without the block`);
    const group = groups.get(number);
    if (group) group.push(row);
    else groups.set(number, [row]);
  }
  return groups;
}

function transactionOf(row: Json): Json {
  const transaction = shaped(row, transactionQuantities);
  return { ...transaction, gasPrice: transaction.gasPrice ?? transaction.effectiveGasPrice };
}

function logOf(row: Json): Json {
  return { ...shaped(row, logQuantities), topics: topicsOf(row) };
}

/** The topics of a log, which end before the first one that is missing. */
function topicsOf(row: Json): readonly unknown[] {
  const topics = [row.topic0, row.topic1, row.topic2, row.topic3];
  const end = topics.findIndex((topic) => topic === undefined || topic === null);
  if (end >= 0 && topics.slice(end).some((topic) => topic !== undefined && topic !== null))
    throw malformed("a log of its answer lacks a topic before another one");
  return end < 0 ? topics : topics.slice(0, end);
}

/** A row with the names and the quantities of a node; nulls are left out, except a missing recipient. */
function shaped(row: Json, quantities: ReadonlySet<string>): Json {
  const result: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(row)) {
    const name = given.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (value === null && name !== "to") continue;
    result[name] = quantities.has(name) ? quantityOf(value) : value;
  }
  return result;
}

/** A quantity as a node writes it. Others stay as they are, and are refused later. */
function quantityOf(value: unknown): unknown {
  const isWhole = typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
  if (isWhole || (typeof value === "string" && /^(?:0x[0-9a-f]{1,64}|\d{1,78})$/i.test(value)))
    return `0x${BigInt(value).toString(16)}`;
  return value === "0x" ? "0x0" : value;
}

function numberOf(value: unknown): number {
  const number = Number(quantityOf(value));
  if (value !== null && value !== undefined && isBlockNumber(number)) return number;
  throw malformed("its answer has a row without the number of its block");
}

function rowsOf(value: unknown, name: string): readonly Json[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isRecord)) return value;
  throw malformed(`its answer has something else in place of ${name}`);
}

function malformed(why: string): SourceFault {
  return new SourceFault("passing", why);
}
