import type { ClickHouseRow } from "../../flows/sinks/clickhouse-server.js";
import type { KnownBlock } from "../chains/known-block.js";
import type { BlockItem, BlockQuestion } from "../reads/data-reads.js";
import { endOf, type Parameters, type ReadChain } from "./read-chain.js";

/** Blocks in the order of their numbers, or against it. */
export interface BlockRange {
  readonly low: number;
  readonly high: number;
  readonly isAscending: boolean;
}

/** What blocks have to pass: SQL, and its parameters. */
interface Condition {
  readonly sql: string;
  readonly parameters: Parameters;
}

const anyBlock: Condition = { sql: "1", parameters: {} };

/** Blocks that are looked at together where a replaced one was found. */
const span = 256;

/** Reads headers. @throws ClickHouseError */
export async function readBlocks(chain: ReadChain, question: BlockQuestion): Promise<readonly BlockItem[]> {
  const { hash, from = 0, to, since, until, isAscending, limit } = question;
  const given = { low: Math.max(0, from), high: Math.min(to, endOf(chain, "blocks")), isAscending };
  const range = await withinTimes(chain, given, since, until);
  if (!range || range.low > range.high) return [];
  const rows = await (hash === undefined
    ? rowsInOrder(chain, range, limit)
    : rowsWithin(chain, headerColumns, range, withHash(chain, hash), limit));
  return rows.map(headerIn);
}

/** A block by its number. @throws ClickHouseError */
export async function blockAt(chain: ReadChain, number: number): Promise<KnownBlock | undefined> {
  if (number > endOf(chain, "blocks")) return undefined;
  const [row] = await rowsWithin(
    chain,
    knownColumns,
    { low: number, high: number, isAscending: true },
    anyBlock,
    1,
  );
  return row && knownIn(row);
}

/** The newest block that is not after a number. @throws ClickHouseError */
export async function newestUntil(chain: ReadChain, high: number): Promise<KnownBlock | undefined> {
  return (await blockAt(chain, high)) ?? nearestBlock(chain, { low: 0, high, isAscending: false }, anyBlock);
}

/** All blocks of a range, newest first. @throws ClickHouseError */
export async function blocksDown(
  chain: ReadChain,
  low: number,
  high: number,
): Promise<readonly KnownBlock[]> {
  const range = { low, high, isAscending: false };
  return (await rowsWithin(chain, knownColumns, range, anyBlock, high - low + 1)).map(knownIn);
}

/**
 * The part of a range whose blocks have their times between two, both included. Times never fall along a chain.
 * @returns `undefined` if there is none
 * @throws ClickHouseError
 */
export async function withinTimes<Range extends Pick<BlockRange, "low" | "high">>(
  chain: ReadChain,
  range: Range,
  since: number | undefined,
  until: number | undefined,
): Promise<Range | undefined> {
  const all = { low: 0, high: endOf(chain, "blocks") };
  const bound = async (
    isAscending: boolean,
    comparison: string,
    time: number | undefined,
  ): Promise<number | undefined> => {
    if (time === undefined) return isAscending ? range.low : range.high;
    const condition = { sql: `timestamp ${comparison} {time:Int64}`, parameters: { time: clamped(time) } };
    return (await nearestBlock(chain, { ...all, isAscending }, condition))?.number;
  };
  const [first, last] = await Promise.all([bound(true, ">=", since), bound(false, "<=", until)]);
  if (first === undefined || last === undefined) return undefined;
  return { ...range, low: Math.max(range.low, first), high: Math.min(range.high, last) };
}

/** Rows page by page of numbers: where blocks are dense, one page is enough. */
async function rowsInOrder(
  chain: ReadChain,
  { low, high, isAscending }: BlockRange,
  limit: number,
): Promise<readonly ClickHouseRow[]> {
  const rows: ClickHouseRow[] = [];
  let [from, to, size] = [low, high, limit];
  while (rows.length < limit && from <= to) {
    const page = isAscending
      ? { low: from, high: Math.min(to, from + size - 1), isAscending }
      : { low: Math.max(from, to - size + 1), high: to, isAscending };
    rows.push(...(await rowsWithin(chain, headerColumns, page, anyBlock, limit - rows.length)));
    if (isAscending) from = page.high + 1;
    else to = page.low - 1;
    size *= 8;
  }
  return rows;
}

/**
 * The first block of a range that passes a condition. One that was replaced may stand in the table with it, so what is found
 * is looked at again.
 */
async function nearestBlock(
  chain: ReadChain,
  { low, high, isAscending }: BlockRange,
  condition: Condition,
): Promise<KnownBlock | undefined> {
  let [from, to] = [low, high];
  while (from <= to) {
    const [candidate] = await chain.query(
      `SELECT number FROM ${chain.table("blocks")} WHERE number BETWEEN {low:Int64} AND {high:Int64} AND ${condition.sql}
        ORDER BY number ${isAscending ? "ASC" : "DESC"} LIMIT 1`,
      { ...condition.parameters, low: from, high: to },
    );
    if (!candidate) return undefined;
    const at = Number(candidate.number);
    const near = isAscending
      ? { low: at, high: Math.min(to, at + span), isAscending }
      : { low: Math.max(from, at - span), high: at, isAscending };
    const [found] = await rowsWithin(chain, knownColumns, near, condition, 1);
    if (found) return knownIn(found);
    if (isAscending) from = near.high + 1;
    else to = near.low - 1;
  }
  return undefined;
}

/** Rows of the canonical chain. FINAL reads all rows of the range. */
function rowsWithin(
  chain: ReadChain,
  columns: string,
  { low, high, isAscending }: BlockRange,
  { sql, parameters }: Condition,
  limit: number,
): Promise<readonly ClickHouseRow[]> {
  return chain.query(
    `SELECT ${columns} FROM ${chain.table("blocks")} FINAL WHERE number BETWEEN {low:Int64} AND {high:Int64} AND ${sql}
      ORDER BY number ${isAscending ? "ASC" : "DESC"} LIMIT {limit:UInt64}`,
    { ...parameters, low, high, limit },
  );
}

/** The index of hashes finds every version of rows. */
function withHash(chain: ReadChain, hash: string): Condition {
  return {
    sql: `number IN (SELECT number FROM ${chain.table("blocks")} WHERE hash = {hash:String}) AND hash = {hash:String}`,
    parameters: { hash },
  };
}

const knownColumns = "number, hash, timestamp";
const headerColumns = `${knownColumns}, parent_hash, author, coalesce(size, 0) AS size, receipts_root, transactions_root,
  state_root, uncles_hash, transaction_count, base_fee_per_gas, gas_limit, gas_used`;

function knownIn({ number, hash, timestamp }: ClickHouseRow): KnownBlock {
  return { number: Number(number), hash: String(hash), timestamp: Number(timestamp) };
}

function headerIn(row: ClickHouseRow): BlockItem {
  const text = (name: string): string => String(row[name]);
  const optional = (name: string): number | null => (row[name] === null ? null : Number(row[name]));
  return {
    number: Number(row.number),
    timestamp: Number(row.timestamp),
    hash: text("hash"),
    parent_hash: text("parent_hash"),
    author: text("author"),
    size: Number(row.size),
    receipts_root: text("receipts_root"),
    transactions_root: text("transactions_root"),
    state_root: text("state_root"),
    uncles_hash: text("uncles_hash"),
    transaction_count: Number(row.transaction_count),
    base_fee_per_gas: optional("base_fee_per_gas"),
    gas_limit: optional("gas_limit"),
    gas_used: optional("gas_used"),
  };
}

function clamped(time: number): number {
  return Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, time));
}
