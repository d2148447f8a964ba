import type { ClickHouseRow } from "../../flows/sinks/clickhouse-server.js";
import type { KnownBlock } from "../chains/known-block.js";
import type { BlockItem, BlockQuestion } from "../reads/data-reads.js";
import { endOf, lastVersions, type Parameters, type ReadChain } from "./read-chain.js";
import { type TimeBounds, timeBounds } from "./time-bounds.js";

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

/** Reads headers. @throws ClickHouseError; ReplacedRows */
export async function readBlocks(chain: ReadChain, question: BlockQuestion): Promise<readonly BlockItem[]> {
  const { hash, from = 0, to, since, until, isAscending, limit } = question;
  const range = { low: Math.max(0, from), high: Math.min(to, endOf(chain, "blocks")), isAscending };
  if (range.low > range.high) return [];
  const rows = await (hash !== undefined
    ? blocksWithHash(chain, range, hash)
    : since !== undefined || until !== undefined
      ? blocksBetween(chain, range, timeBounds(chain, since, until), limit)
      : blocksInOrder(chain, range, limit));
  return rows.slice(0, limit).map(headerIn);
}

/** A block by its number. It is remembered. @throws ClickHouseError; ReplacedRows */
export function knownBlock(chain: ReadChain, number: number): Promise<KnownBlock | undefined> {
  return chain.remembered(`block ${number}`, () => blockAt(chain, number));
}

async function blockAt(chain: ReadChain, number: number): Promise<KnownBlock | undefined> {
  if (number > endOf(chain, "blocks")) return undefined;
  const range = { low: number, high: number, isAscending: true };
  const [row] = await liveBlocks(chain, knownColumns, range, anyBlock);
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

/** Rows page by page of numbers: where blocks are dense, one page is enough. */
async function blocksInOrder(
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
    rows.push(...(await liveBlocks(chain, headerColumns, page, anyBlock)));
    if (isAscending) from = page.high + 1;
    else to = page.low - 1;
    size *= 8;
  }
  return rows;
}

/** Rows between two times. */
async function blocksBetween(
  chain: ReadChain,
  { low, high, isAscending }: BlockRange,
  { firstBlock, lastBlock, parameters, isWithin }: TimeBounds,
  limit: number,
): Promise<readonly ClickHouseRow[]> {
  const order = isAscending ? "ASC" : "DESC";
  const rows: ClickHouseRow[] = [];
  let [from, to] = [low, high];
  // One row more shows whether a page is the last one.
  const most = limit + 1;
  while (rows.length < limit && from <= to) {
    const condition = {
      sql: `number >= ${firstBlock} AND number <= ${lastBlock} ORDER BY number ${order}, version DESC LIMIT {most:UInt64}`,
      parameters: { ...parameters, most },
    };
    const found = await blockVersions(chain, headerColumns, { low: from, high: to }, condition);
    rows.push(...inOrder(found, isAscending).filter(({ timestamp }) => isWithin(Number(timestamp))));
    if (found.length < most) break;
    // The last row is the newest version of its block.
    const numbers = found.map(({ number }) => Number(number));
    if (isAscending) from = Math.max(...numbers) + 1;
    else to = Math.min(...numbers) - 1;
  }
  chain.doubt();
  return rows;
}

/** The index of hashes finds every version of rows. */
async function blocksWithHash(
  chain: ReadChain,
  range: BlockRange,
  hash: string,
): Promise<readonly ClickHouseRow[]> {
  const found = await liveBlocks(chain, headerColumns, range, {
    sql: `number IN (SELECT number FROM ${chain.table("blocks")} WHERE hash = {hash:String})`,
    parameters: { hash },
  });
  const rows = found.filter((row) => row.hash === hash);
  // A version that proves that there is none may be gone.
  if (rows.length === 0) chain.doubt();
  return rows;
}

/** The blocks of a range, in its order. @param condition on numbers alone */
async function liveBlocks(
  chain: ReadChain,
  columns: string,
  range: BlockRange,
  condition: Condition,
): Promise<readonly ClickHouseRow[]> {
  return inOrder(await blockVersions(chain, columns, range, condition), range.isAscending);
}

/** Every version of the blocks of a range. */
function blockVersions(
  chain: ReadChain,
  columns: string,
  { low, high }: Pick<BlockRange, "low" | "high">,
  { sql, parameters }: Condition,
): Promise<readonly ClickHouseRow[]> {
  return chain.versions(
    `SELECT ${columns}, version, is_deleted FROM ${chain.table("blocks")}
      WHERE number BETWEEN {low:Int64} AND {high:Int64} AND ${sql}`,
    { ...parameters, low, high },
    () => "blocks",
  );
}

function inOrder(versions: readonly ClickHouseRow[], isAscending: boolean): readonly ClickHouseRow[] {
  const rows = lastVersions(versions, ({ number }) => String(number));
  const up = (one: ClickHouseRow, other: ClickHouseRow): number => Number(one.number) - Number(other.number);
  return [...rows].sort(isAscending ? up : (one, other) => up(other, one));
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
