import { crc32 } from "node:zlib";
import type { RowValue } from "../../changes/rows.js";
import type { PlacedRow } from "../expected-rows.js";
import { ByteWriter } from "./byte-writer.js";
import type { TargetColumn } from "./native-block.js";
import { writeValue } from "./write-value.js";

/** The values of a row in ClickHouse's format RowBinary, as upper-case hexadecimal digits like those of `hex`. */
export function rowHex(columns: readonly TargetColumn[], row: PlacedRow): string {
  return Buffer.from(rowBytes(columns, row)).toString("hex").toUpperCase();
}

/** A number that is equal for equal keys: ClickHouse's `CRC32` of their bytes. */
export function keyNumber(key: readonly TargetColumn[], row: PlacedRow): number {
  return crc32(rowBytes(key, row));
}

function rowBytes(columns: readonly TargetColumn[], { rows, row }: PlacedRow): Uint8Array {
  const writer = new ByteWriter();
  for (const column of columns) writeCell(writer, column, rows.columns[column.index]?.[row] ?? null);
  return writer.end();
}

function writeCell(writer: ByteWriter, { type, from }: TargetColumn, value: RowValue): void {
  if (type.form.kind === "strings") {
    const items = (value as readonly string[] | null) ?? [];
    writer.varint(items.length);
    for (const item of items) writer.text(item);
    return;
  }
  if (type.nullable) writer.byte(value === null ? 1 : 0);
  if (value !== null) writeValue(type.form, from)(writer, value);
}
