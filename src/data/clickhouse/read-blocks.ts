import type { ClickHouseRow } from "../../pipelines/sinks/clickhouse-server.js";
import type { KnownBlock } from "../chains/known-block.js";
import type { BlockItem, BlockQuestion } from "../reads/data-reads.js";
import {
  type BlocksSeal,
  endOf,
  lastVersions,
  type Parameters,
  type ReadChain,
  type VersionedBlock,
} from "./read-chain.js";
import { type TimeBounds, timeBounds } from "./time-bounds.js";

/** A range of blocks, in ascending or descending order. */
export interface BlockRange {
  readonly low: number;
  readonly high: number;
  readonly isAscending: boolean;
}

/** A condition on blocks: SQL, and its parameters. */
interface Condition {
  readonly sql: string;
  readonly parameters: Parameters;
}

const anyBlock: Condition = { sql: "", parameters: {} };

/** Reads headers. @throws ClickHouseError; ReplacedRows */
export async function readBlocks(chain: ReadChain, question: BlockQuestion): Promise<readonly BlockItem[]> {
  const { hash, from = 0, to, since, until, isAscending, limit } = question;
  const range = { low: Math.max(0, from), high: Math.min(to, endOf(chain, "blocks")), isAscending };
  if (range.low > range.high) return [];
  const hasTimes = since !== undefined || until !== undefined;
  // The row versions that find blocks by time may be gone.
  if (hasTimes) chain.doubt();
  const rows = await (hash !== undefined
    ? blocksWithHash(chain, range, hash)
    : hasTimes
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
  const [row] = await liveBlocks(chain, range, anyBlock);
  return row && knownIn(row);
}

/** The newest block that is not after a number. @throws ClickHouseError */
export async function newestUntil(chain: ReadChain, high: number): Promise<VersionedBlock | undefined> {
  const [row] = await blocksInOrder(chain, { low: 0, high, isAscending: false }, 1);
  return row && { ...knownIn(row), version: Number(row.version) };
}

/** All blocks of a range, newest first. @throws ClickHouseError; ReplacedRows */
export async function blocksDown(
  chain: ReadChain,
  low: number,
  high: number,
): Promise<readonly KnownBlock[]> {
  return (await liveBlocks(chain, { low, high, isAscending: false }, anyBlock)).map(knownIn);
}

/**
 * Rows of the first numbers of a range. If blocks are dense, these are all rows; sorting them takes as long as
 * reading them.
 */
async function blocksInOrder(
  chain: ReadChain,
  { low, high, isAscending }: BlockRange,
  limit: number,
): Promise<readonly ClickHouseRow[]> {
  const [page, rest] = isAscending
    ? [
        { low, high: Math.min(high, low + limit - 1), isAscending },
        { low: low + limit, high, isAscending },
      ]
    : [
        { low: Math.max(low, high - limit + 1), high, isAscending },
        { low, high: high - limit, isAscending },
      ];
  const rows = await liveBlocks(chain, page, anyBlock);
  if (rows.length >= limit || rest.low > rest.high) return rows;
  const bounds = timeBounds(chain, undefined, undefined);
  return [...rows, ...(await blocksBetween(chain, rest, bounds, limit - rows.length))];
}

/** Rows between two times, read in order. */
async function blocksBetween(
  chain: ReadChain,
  { low, high, isAscending }: BlockRange,
  { firstBlock, lastBlock, parameters, isWithin }: TimeBounds,
  limit: number,
): Promise<readonly ClickHouseRow[]> {
  const order = isAscending ? "ASC" : "DESC";
  const rows: ClickHouseRow[] = [];
  let [from, to] = [low, high];
  // One extra row shows whether the page is the last one.
  const most = limit + 1;
  while (rows.length < limit && from <= to) {
    const condition = {
      sql: `number >= ${firstBlock} AND number <= ${lastBlock} ORDER BY number ${order}, version DESC LIMIT {most:UInt64}`,
      parameters: { ...parameters, most },
    };
    const found = await blockVersions(chain, { low: from, high: to }, condition);
    rows.push(...inOrder(found, isAscending).filter(({ timestamp }) => isWithin(Number(timestamp))));
    if (found.length < most) break;
    // The last row is the newest version of its block.
    const numbers = found.map(({ number }) => Number(number));
    if (isAscending) from = Math.max(...numbers) + 1;
    else to = Math.min(...numbers) - 1;
  }
  return rows;
}

/** The index of hashes finds every version of rows. */
async function blocksWithHash(
  chain: ReadChain,
  range: BlockRange,
  hash: string,
): Promise<readonly ClickHouseRow[]> {
  const found = await liveBlocks(chain, range, {
    sql: `number IN (SELECT number FROM ${chain.table("blocks")} WHERE hash = {hash:String})`,
    parameters: { hash },
  });
  const rows = found.filter((row) => row.hash === hash);
  // A version that would prove the absence of rows may be gone.
  if (rows.length === 0) chain.doubt();
  return rows;
}

/** The blocks of a range, in its order. @param condition on numbers alone */
async function liveBlocks(
  chain: ReadChain,
  { low, high, isAscending }: BlockRange,
  condition: Condition,
): Promise<readonly ClickHouseRow[]> {
  const seal = chain.seal();
  const rows = inOrder(await blockVersions(chain, { low, high }, condition, seal), isAscending);
  seal?.check(rows);
  return rows.filter((row) => Number(row.number) >= low && Number(row.number) <= high);
}

/** Every version of the blocks of a range. @param seal the seal whose rows are also read */
function blockVersions(
  chain: ReadChain,
  { low, high }: Pick<BlockRange, "low" | "high">,
  { sql, parameters }: Condition,
  seal?: BlocksSeal,
): Promise<readonly ClickHouseRow[]> {
  const range = low === high ? "number = {low:Int64}" : "number BETWEEN {low:Int64} AND {high:Int64}";
  const own = `${range} ${sql === "" ? "" : `AND ${sql}`}`;
  // Planning another statement takes longer than reading a few more columns.
  return chain.versions(
    `SELECT * FROM ${chain.table("blocks")} WHERE ${seal ? `${own} OR ${seal.sql}` : own}`,
    { ...parameters, ...seal?.parameters, low, high },
    () => "blocks",
    seal !== undefined,
  );
}

function inOrder(versions: readonly ClickHouseRow[], isAscending: boolean): readonly ClickHouseRow[] {
  const rows = lastVersions(versions, ({ number }) => String(number));
  const up = (one: ClickHouseRow, other: ClickHouseRow): number => Number(one.number) - Number(other.number);
  return [...rows].sort(isAscending ? up : (one, other) => up(other, one));
}

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
    size: Number(row.size ?? 0),
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
