import { factsOfParquet, readParquet } from "../parquet/read-parquet.js";
import type { DatasetKind, DatasetRow } from "../tables/dataset.js";
import { aboutWindow, columnsOfWindow, dayColumn } from "./window-pieces.js";
import { dayOfTime } from "./window-source.js";
import type { Window } from "./windows.js";

/** A file does not match its window; the message continues a sentence that begins with the file. */
export class StrangeWindowError extends Error {
  override readonly name = "StrangeWindowError";
}

/** The window that a file should contain. */
export interface ExpectedWindow extends Window {
  readonly kind: DatasetKind;
  /** Only logs of this contract, in lower case. */
  readonly contract: string | undefined;
  /** The day of its first block, according to its sender. */
  readonly day: string;
}

export interface WindowLimits {
  readonly rows: number;
  /** Bytes of all pages, unpacked. */
  readonly bytes: number;
}

const otherDay = "has rows of another day than its sender says";
/** The last second that has a date in JavaScript. */
const lastTime = 8_640_000_000_000n;

const usualLimits: WindowLimits = { rows: 2_000_000, bytes: 2 * 1024 ** 3 };

/**
 * Reads the rows of a window's file from another process, and checks every row against the request.
 * @throws StrangeWindowError
 */
export async function readWindow(
  bytes: Uint8Array,
  expected: ExpectedWindow,
  limits = usualLimits,
): Promise<readonly DatasetRow[]> {
  const { kind, day } = expected;
  const isDay = /^\d{4,6}-\d\d-\d\d$/.test(day);
  if (!isDay) throw new StrangeWindowError("does not say the day of its first block");
  const rows = await rowsIn(bytes, expected, limits);
  for (const row of rows) if ((row[dayColumn] ?? day) !== day) throw new StrangeWindowError(otherDay);
  if (kind === "raw_blocks") checkBlocks(rows, expected);
  else checkPlaces(rows, expected);
  checkDay(rows, expected);
  return rows.map(({ [dayColumn]: _, ...row }) => row);
}

async function rowsIn(
  bytes: Uint8Array,
  expected: ExpectedWindow,
  limits: WindowLimits,
): Promise<readonly DatasetRow[]> {
  const about = aboutWindow(expected.kind, expected);
  try {
    const facts = factsOfParquet(bytes);
    for (const [key, value] of Object.entries(about))
      if (facts.about.get(key) !== value) throw new StrangeWindowError(`is not of ${key} ${value}`);
    const columns = columnsOfWindow(expected.kind, facts);
    if (!columns) throw new StrangeWindowError("has other columns than the dataset");
    if ((facts.about.get(dayColumn) ?? expected.day) !== expected.day) throw new StrangeWindowError(otherDay);
    if (facts.rows > limits.rows) throw new StrangeWindowError(`has more than ${limits.rows} rows`);
    const values = await readParquet(bytes, columns, limits.bytes);
    return Array.from({ length: facts.rows }, (_, row) =>
      Object.fromEntries(columns.map(({ name }) => [name, values[name]?.[row] ?? null])),
    );
  } catch (error) {
    if (error instanceof StrangeWindowError) throw error;
    throw new StrangeWindowError(`is not a whole Parquet file: ${(error as Error).message}`);
  }
}

/** Checks that all blocks of the window are present and follow each other. Filecoin's null rounds have no block. */
function checkBlocks(rows: readonly DatasetRow[], { from, to }: Window): void {
  if (rows[0]?.number !== BigInt(from) || rows.at(-1)?.number !== BigInt(to))
    throw new StrangeWindowError(`has ${rows.length} blocks, not the ${to - from + 1} that were asked for`);
  for (const [at, { number, parent_hash }] of rows.entries()) {
    const before = rows[at - 1];
    if (!before) continue;
    const [next, found] = [(before.number as bigint) + 1n, number as bigint];
    const follows = parent_hash === before.hash;
    if (found < next || (found > next && !follows)) throw new StrangeWindowError(`lacks block ${next}`);
    if (!follows)
      throw new StrangeWindowError(`has a block ${number} that does not follow the block before it`);
  }
}

/** Checks that transactions or logs are in order, and belong to the window and the contract. */
function checkPlaces(rows: readonly DatasetRow[], { from, to, kind, contract }: ExpectedWindow): void {
  const index = kind === "raw_transactions" ? "transaction_index" : "log_index";
  const hashes = new Map<bigint, unknown>();
  /** Positions in the current block. */
  let places = new Set<string>();
  let last: readonly [block: bigint, index: bigint, transaction: bigint] = [-1n, -1n, -1n];
  for (const row of rows) {
    const transaction = row.transaction_index as bigint;
    const place = [row.block_number as bigint, row[index] as bigint, transaction] as const;
    const [block] = place;
    if (block !== last[0]) places = new Set();
    // Some chains number logs per transaction.
    const isAfter = block > last[0] || (block === last[0] && (place[1] > last[1] || transaction > last[2]));
    if (block < from || block > to)
      throw new StrangeWindowError(`has rows of block ${block}, which was not asked for`);
    if (!isAfter || places.has(`${transaction} ${place[1]}`))
      throw new StrangeWindowError(`has rows of block ${block} twice or out of order`);
    if (contract !== undefined && row.address !== contract)
      throw new StrangeWindowError("has logs of another contract");
    if ((hashes.get(block) ?? row.block_hash) !== row.block_hash)
      throw new StrangeWindowError(`has rows of two blocks ${block}`);
    hashes.set(block, row.block_hash);
    places.add(`${transaction} ${place[1]}`);
    last = place;
  }
}

/** Files are stored by day, so a wrong day would put a file in two places. */
function checkDay([first]: readonly DatasetRow[], { kind, from, day }: ExpectedWindow): void {
  if (!first) return;
  const [number, time] =
    kind === "raw_blocks" ? [first.number, first.timestamp] : [first.block_number, first.block_timestamp];
  if ((time as bigint) < 0n || (time as bigint) > lastTime)
    throw new StrangeWindowError("begins at a time that has no day");
  const found = dayOfTime(time as bigint);
  if (number === BigInt(from) ? found !== day : found < day)
    throw new StrangeWindowError(`begins on ${found}, not on ${day} as its sender says`);
}
