import { type ParquetParsers, parquetMetadata, parquetRead } from "hyparquet";
import type { Column, ColumnValue, ColumnValues } from "./column.js";
import { unpackersUpTo } from "./compression.js";
import { hasSchema } from "./schema.js";

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
  const metadata = parquetMetadata(file);
  const values: Record<string, ColumnValue[]> = {};
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const rows = Number(metadata.num_rows);
  const names = new Set(metadata.schema.map(({ name }) => name));
  const isThere = ({ name, nullable }: Column): boolean => names.has(name) || nullable !== true;
  for (const column of columns)
    values[column.name] = isThere(column) ? [] : new Array<ColumnValue>(rows).fill(null);
  await parquetRead({
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
  const short = columns.find(({ name }) => values[name]?.length !== rows);
  if (short) throw new Error(`its column "${short.name}" does not have ${rows} rows`);
  return values;
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
  const { key_value_metadata: entries = [] } = parquetMetadata(toArrayBuffer(bytes));
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
  const { num_rows, schema, row_groups } = parquetMetadata(toArrayBuffer(bytes));
  const chunks = row_groups.flatMap((group) => group.columns.map(({ meta_data }) => meta_data));
  const isPacked = chunks.every((chunk) => chunk?.codec === "BROTLI");
  const rows = Number(num_rows);
  const isWhole = row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0) === rows;
  if (!isWhole) throw new Error("its groups of rows do not add up");
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
