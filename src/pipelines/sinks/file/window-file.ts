import { parseJson } from "../../../base/text/json-value.js";
import { messageOf } from "../../../base/text/message-of.js";
import type { Column, ColumnValue, ColumnValues } from "../../../datasets/parquet/column.js";
import { aboutParquet, readParquet } from "../../../datasets/parquet/read-parquet.js";
import { type ParquetForm, ParquetPieces, rowsPerGroup } from "../../../datasets/parquet/write-parquet.js";
import { type LedgerEntry, ledgerJson, readLedgerJson } from "../../changes/ledger.js";
import { joinRows, type Rows, type RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";
import type { BlockRange } from "../audit.js";
import type { AuditedFiles } from "./window-files.js";

/** Integers of 256 bits are text, since readers round wide decimals. */
const stored: Readonly<Record<ValueType, Column["type"]>> = {
  STRING: "string",
  JSON: "string",
  LONG: "long",
  DOUBLE: "double",
  DECIMAL: "string",
  NUMERIC: "string",
  BOOLEAN: "boolean",
  TIMESTAMP: "timestamp",
  "ARRAY<STRING>": "strings",
};

/** Every reader knows Snappy; Spark and BigQuery do not know Brotli. */
const usualCompression = "snappy";

/** Where a file's metadata has its ledger entry. */
const entryKey = "graphloom.ledger";
/** More than the metadata of a file takes with a hundred columns and row groups. */
const footerBytes = 1024 * 1024;
/** What a file may unpack to. */
const mostBytes = 4 * 1024 * 1024 * 1024;

/** The columns of files. */
export function storedColumns(columns: readonly RowColumn[]): readonly Column[] {
  return columns.map(({ name, type, nullable }) => ({ name, type: stored[type], nullable }));
}

/**
 * The file of a window of blocks, piece by piece, with its ledger entry.
 * @param more of its metadata
 */
export function windowPieces(
  columns: readonly Column[],
  parts: readonly Rows[],
  entry: LedgerEntry,
  more: Readonly<Record<string, string>> = {},
  form: ParquetForm = {},
): AsyncGenerator<Uint8Array> {
  return rowPieces(columns, parts, { ...aboutEntry(entry), ...more }, form);
}

/** A file of rows, piece by piece. @param about its metadata */
export async function* rowPieces(
  columns: readonly Column[],
  parts: readonly Rows[],
  about: Readonly<Record<string, string>>,
  { compression = usualCompression, groupRows = rowsPerGroup }: ParquetForm = {},
): AsyncGenerator<Uint8Array> {
  const file = new ParquetPieces(columns, about, { compression, groupRows });
  const all = joinRows(parts, columns.length);
  for (let from = 0; from < all.count; from += groupRows)
    yield file.add(valuesOf(columns, rowsBetween(all, from, from + groupRows)));
  yield file.finish();
}

function rowsBetween({ columns, count }: Rows, from: number, end: number): Rows {
  if (from === 0 && end >= count) return { columns, count };
  return { columns: columns.map((values) => values.slice(from, end)), count: Math.min(end, count) - from };
}

/** The metadata of a file with a ledger entry. */
export function aboutEntry(entry: LedgerEntry): Readonly<Record<string, string>> {
  return { [entryKey]: JSON.stringify(ledgerJson(entry)) };
}

function valuesOf(columns: readonly Column[], rows: Rows): ColumnValues {
  return Object.fromEntries(
    columns.map(({ name }, index) => [name, (rows.columns[index] ?? []) as readonly ColumnValue[]]),
  );
}

/**
 * The ledger entry of a file.
 * @param read gives the last bytes of the file, this many or all
 * @returns `undefined` if it has none
 */
export async function readEntry(
  read: (bytes: number) => Promise<Uint8Array | undefined>,
): Promise<LedgerEntry | undefined> {
  const bytes = await read(footerBytes);
  return bytes && entryIn(bytes);
}

/** The same for the entry of a window. @returns `undefined` also if it is about another one */
export async function readEntryOf(
  files: AuditedFiles,
  path: string,
  { from, to }: BlockRange,
): Promise<LedgerEntry | undefined> {
  const entry = await readEntry((bytes) => files.bytes(path, bytes));
  return entry?.from === from && entry.to === to ? entry : undefined;
}

/** The ledger entry in a file, or in its last bytes; `undefined` if it has none. */
export function entryIn(bytes: Uint8Array): LedgerEntry | undefined {
  const text = aboutFile(bytes)?.get(entryKey);
  return text === undefined ? undefined : readLedgerJson(parseJson(text));
}

/** The metadata of a file; `undefined` if it is none that was written whole. */
export function aboutFile(bytes: Uint8Array): ReadonlyMap<string, string> | undefined {
  try {
    return aboutParquet(bytes);
  } catch {
    return undefined;
  }
}

/** The rows of a file. @throws Error that says why it cannot be read */
export async function readWindow(bytes: Uint8Array, columns: readonly Column[]): Promise<Rows> {
  const values = await readParquet(bytes, columns, mostBytes);
  const read = columns.map(({ name }) => (values[name] ?? []) as readonly RowValue[]);
  return { count: read[0]?.length ?? 0, columns: read };
}

/** The rows of a file; `undefined` after a note that it is missing or cannot be read. */
export async function readNoted(
  files: AuditedFiles,
  path: string,
  columns: readonly Column[],
  note: (sentence: string) => void,
): Promise<Rows | undefined> {
  const bytes = await files.bytes(path);
  if (!bytes) {
    note(`${path} is missing.`);
    return undefined;
  }
  try {
    return await readWindow(bytes, columns);
  } catch (error) {
    note(`${path} cannot be read: ${messageOf(error)}.`);
    return undefined;
  }
}
