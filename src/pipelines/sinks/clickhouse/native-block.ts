import { invariant } from "../../../base/invariant.js";
import { visible } from "../../../base/text/visible.js";
import type { Rows, RowValue } from "../../changes/rows.js";
import type { ValueType } from "../../changes/schema.js";
import type { ClickHouseType } from "../../definition/clickhouse-type.js";
import { type RefusedRow, RowError } from "../sink.js";
import { ByteWriter } from "./byte-writer.js";
import { writeValue, zeroBytes } from "./write-value.js";

/** A column of the table. */
export interface TargetColumn {
  readonly name: string;
  readonly type: ClickHouseType;
  readonly from: ValueType;
  /** The index of the column in the rows. */
  readonly index: number;
}

/** What each row has besides its values. */
export interface RowKind {
  /** The names of the two columns. */
  readonly names: { readonly version: string; readonly isDeleted: string };
  readonly version: number;
  /** Whether a row is a deletion. */
  isDeleted(row: number): boolean;
}

/**
 * Rows as a block of ClickHouse's format Native, column by column.
 * @throws RowError for values that do not fit their columns
 */
export function nativeBlock(
  columns: readonly TargetColumn[],
  rows: Rows,
  { names, version, isDeleted }: RowKind,
): Uint8Array {
  const writer = new ByteWriter();
  writer.varint(columns.length + 2);
  writer.varint(rows.count);
  const misfits = new Map<number, RefusedRow & { readonly column: string }>();
  for (const { name, type, from, index } of columns) {
    const values = rows.columns[index];
    invariant(values, "every column that is written is one of the rows");
    writer.text(name);
    writer.text(type.text);
    writeColumn(writer, values, type, from, (row, why) => {
      if (!misfits.has(row)) misfits.set(row, { row, why, column: name });
    });
  }
  const [misfit] = misfits.values();
  if (misfit) throw new RowError(`Column ${misfit.column}: ${misfit.why}`, [...misfits.values()]);
  writer.text(names.version);
  writer.text("UInt64");
  for (let row = 0; row < rows.count; row += 1) writer.count(version, 64);
  writer.text(names.isDeleted);
  writer.text("UInt8");
  for (let row = 0; row < rows.count; row += 1) writer.byte(isDeleted(row) ? 1 : 0);
  return writer.end();
}

/** @param refuse gets values that do not fit, and the reason as a sentence */
function writeColumn(
  writer: ByteWriter,
  values: readonly RowValue[],
  { text, form, nullable }: ClickHouseType,
  from: ValueType,
  refuse: (row: number, why: string) => void,
): void {
  const noNulls = `null does not fit ${text}. Leave such rows out with SQL, or choose a type with schema_override: Nullable(…).`;
  if (form.kind === "strings") {
    // Lists of ClickHouse cannot be null, so a missing list becomes an empty one.
    let end = 0;
    for (const value of values) {
      end += (value as readonly string[] | null)?.length ?? 0;
      writer.count(end, 64);
    }
    for (const value of values)
      for (const item of (value as readonly string[] | null) ?? []) writer.text(item);
    return;
  }
  if (nullable) for (const value of values) writer.byte(value === null ? 1 : 0);
  const write = writeValue(form, from);
  const zeros = zeroBytes(form);
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row] as RowValue;
    if (value === null) {
      if (!nullable) refuse(row, noNulls);
      writer.zeros(zeros);
      continue;
    }
    const why = write(writer, value);
    if (why !== undefined) refuse(row, `${shown(value)} ${why}, so it does not fit ${text}.`);
  }
}

/** A value for a message. */
function shown(value: RowValue): string {
  const text = visible(String(value));
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
