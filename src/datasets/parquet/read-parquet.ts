import { brotliDecompressSync } from "node:zlib";
import { parquetMetadata, parquetRead } from "hyparquet";
import type { Column, ColumnValue, ColumnValues } from "./column.js";

/** The most that one page may unpack to; what we write is far below. */
const mostPageBytes = 512 * 1024 * 1024;

/**
 * Reads a Parquet file that `writeParquet` has written. Nullable columns that it lacks, as one of an earlier version may, are
 * null in all rows.
 * @throws Error when it is not a Parquet file with the other columns
 */
export async function readParquet(bytes: Uint8Array, columns: readonly Column[]): Promise<ColumnValues> {
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
    compressors: { BROTLI: unpack },
    utf8: false,
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

/** The texts of a file's metadata, by key. @throws Error when it is not a Parquet file */
export function aboutParquet(bytes: Uint8Array): ReadonlyMap<string, string> {
  const { key_value_metadata: entries = [] } = parquetMetadata(toArrayBuffer(bytes));
  return new Map(entries.map(({ key, value = "" }) => [key, value]));
}

function unpack(input: Uint8Array): Uint8Array {
  return brotliDecompressSync(input, { maxOutputLength: mostPageBytes });
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
