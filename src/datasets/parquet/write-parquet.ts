import { brotliCompressSync, constants } from "node:zlib";
import type { SchemaElement } from "hyparquet";
import { ByteWriter, parquetWrite } from "hyparquet-writer";
import { invariant } from "../../base/invariant.js";
import type { Column, ColumnValue, ColumnValues } from "./column.js";

/** Rows that are compressed together. */
const rowsPerGroup = 100_000;
/** Long pages, since a hash is repeated far from where it was first. */
const pageBytes = 8 * 1024 * 1024;

/**
 * Writes rows as a Parquet file, compressed with Brotli. The same rows give the same bytes.
 * @param about texts for the file's metadata, by key
 */
export function writeParquet(
  columns: readonly Column[],
  values: ColumnValues,
  about: Readonly<Record<string, string>> = {},
): Uint8Array {
  const writer = new ByteWriter();
  parquetWrite({
    writer,
    schema: schemaOf(columns),
    columnData: columns.map((column) => ({ name: column.name, data: dataOf(column, values) })),
    codec: "BROTLI",
    compressors: { BROTLI: compress },
    rowGroupSize: rowsPerGroup,
    pageSize: pageBytes,
    kvMetadata: Object.entries(about).map(([key, value]) => ({ key, value })),
    createdBy: "graphloom",
  });
  return writer.getBytes();
}

function compress(input: Uint8Array): Uint8Array {
  return brotliCompressSync(input, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 3,
      [constants.BROTLI_PARAM_LGWIN]: 22,
      [constants.BROTLI_PARAM_SIZE_HINT]: input.length,
    },
  });
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  return [{ name: "root", num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, type, nullable = false }: Column): SchemaElement[] {
  const repetition_type = nullable ? "OPTIONAL" : "REQUIRED";
  switch (type) {
    case "string":
      return [{ name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type }];
    case "long":
      return [{ name, type: "INT64", repetition_type }];
    case "double":
      return [{ name, type: "DOUBLE", repetition_type }];
    case "hex":
      return [{ name, type: "BYTE_ARRAY", repetition_type }];
    case "strings":
      return [
        { name, converted_type: "LIST", repetition_type, num_children: 1 },
        { name: "list", repetition_type: "REPEATED", num_children: 1 },
        { name: "element", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "REQUIRED" },
      ];
  }
}

function dataOf({ name, type }: Column, values: ColumnValues): unknown[] {
  const all = values[name];
  invariant(all, `the column ${name} has no values`);
  if (type !== "hex") return [...all];
  let before: ColumnValue | undefined;
  let bytes: Uint8Array | null = null;
  return all.map((value) => {
    // Neighbours often have the same value.
    if (value !== before) {
      before = value;
      bytes = typeof value === "string" ? Buffer.from(value.slice(2), "hex") : null;
    }
    return bytes;
  });
}
