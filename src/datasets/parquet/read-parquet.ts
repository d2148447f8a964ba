import {
  type AsyncBuffer,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadata,
  parquetRead,
} from "hyparquet";
import type { Column, ColumnValue, ColumnValues } from "./column.js";
import { unpackersUpTo } from "./compression.js";
import { decoded } from "./decoding.js";
import { hasSchema } from "./schema.js";

/** The most rows of a file that is read into memory. */
const mostRows = 1_000_000_000n;

/**
 * Reads a Parquet file that `writeParquet` has written. Nullable columns that the file lacks, for example in earlier
 * versions, are null in all rows.
 * @param most maximum unpacked size of all pages in bytes; unlimited by default
 * @throws Error if it is not a Parquet file with the other columns, or exceeds the limit
 */
export async function readParquet(
  bytes: Uint8Array,
  columns: readonly Column[],
  most = Number.POSITIVE_INFINITY,
): Promise<ColumnValues> {
  const file = toArrayBuffer(bytes);
  const metadata = metadataOf(file);
  const values: Record<string, ColumnValue[]> = {};
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const rows = Number(metadata.num_rows);
  const names = new Set(metadata.schema.map(({ name }) => name));
  const isThere = ({ name, nullable }: Column): boolean => names.has(name) || nullable !== true;
  for (const column of columns)
    values[column.name] = isThere(column) ? [] : new Array<ColumnValue>(rows).fill(null);
  const read = (file: AsyncBuffer): Promise<void> =>
    parquetRead({
      file,
      metadata,
      columns: columns.filter(isThere).map(({ name }) => name),
      compressors: unpackersUpTo(most),
      utf8: false,
      parsers: exactParsers,
      onChunk: ({ columnName, columnData }) => {
        const into = values[columnName];
        const isHex = types.get(columnName) === "hex";
        for (const value of columnData) into?.push(isHex ? hexOf(value) : (value ?? null));
      },
    });
  await decoded(() => withQuietReads(file, read));
  const short = columns.find(({ name }) => values[name]?.length !== rows);
  if (short) throw new Error(`its column "${short.name}" does not have ${rows} rows`);
  return values;
}

/**
 * Gives a file to the library. If the library fails while it begins, no one listens to the columns that it has already begun,
 * and one that fails later would end the process: none of them gets its bytes then.
 */
async function withQuietReads(file: ArrayBuffer, read: (file: AsyncBuffer) => Promise<void>): Promise<void> {
  const state = { hasFailed: false };
  const slice = async (from: number, to?: number): Promise<ArrayBuffer> => {
    // An error that the library throws at once is caught below within a few turns.
    for (let turn = 0; turn < 8; turn += 1) await undefined;
    return state.hasFailed ? new Promise<never>(() => undefined) : file.slice(from, to);
  };
  try {
    await read({ byteLength: file.byteLength, slice });
  } catch (error) {
    state.hasFailed = true;
    throw error;
  }
}

/** @throws Error if it is not a Parquet file whose row groups add up */
function metadataOf(file: ArrayBuffer): FileMetaData {
  const metadata = decoded(() => parquetMetadata(file));
  const rows = rowsOf(metadata);
  if (rows > mostRows) throw new Error(`it says that it has ${rows} rows`);
  return metadata;
}

/** How many rows a file has. @throws Error if its row groups do not add up */
export function rowsOf({ num_rows: rows, row_groups: groups }: FileMetaData): bigint {
  const sum = decoded(() => groups.reduce((all, { num_rows }) => all + num_rows, 0n));
  if (sum !== rows || sum < 0n)
    throw new Error(`it says that it has ${rows} rows, and its row groups have ${sum}`);
  return sum;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Parsers that lose nothing. */
export const exactParsers: Partial<ParquetParsers> = {
  // JavaScript dates have no microseconds.
  timestampFromMicroseconds: (time) => time,
  // The default drops a leading U+FEFF.
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes),
};

/**
 * The texts of a file's metadata, by key.
 * @throws Error if it is not a Parquet file
 */
export function aboutParquet(bytes: Uint8Array): ReadonlyMap<string, string> {
  const { key_value_metadata: entries = [] } = metadataOf(toArrayBuffer(bytes));
  return new Map(entries.map(({ key, value = "" }) => [key, value]));
}

/** A file's metadata, read before its pages. */
export interface ParquetFacts {
  readonly rows: number;
  readonly about: ReadonlyMap<string, string>;
  /** Whether it has exactly these columns, in this order, compressed as `writeParquet` does by default. */
  readonly hasColumns: (columns: readonly Column[]) => boolean;
}

/** @throws Error if it is not a Parquet file */
export function factsOfParquet(bytes: Uint8Array): ParquetFacts {
  const { num_rows, schema, row_groups } = metadataOf(toArrayBuffer(bytes));
  const chunks = row_groups.flatMap((group) => group.columns.map(({ meta_data }) => meta_data));
  const isPacked = chunks.every((chunk) => chunk?.codec === "BROTLI");
  const rows = Number(num_rows);
  return {
    rows,
    about: aboutParquet(bytes),
    hasColumns: (columns) => isPacked && hasSchema(schema, columns),
  };
}

function hexOf(value: unknown): string | null {
  if (!(value instanceof Uint8Array)) return null;
  return `0x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")}`;
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength;
  return isWhole ? buffer : (buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer);
}
