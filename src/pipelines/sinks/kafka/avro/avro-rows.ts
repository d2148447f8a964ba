import { invariant } from "../../../../base/invariant.js";
import type { Rows, RowValue } from "../../../changes/rows.js";
import type { RowColumn, RowSchema } from "../../../changes/schema.js";
import type { RowFormat } from "../row-format.js";
import { AvroWriter } from "./avro-writer.js";

/** The ids that a registry has given to the schemas of a topic. */
export interface SchemaIds {
  /** `undefined` if rows have no key. */
  readonly key: number | undefined;
  readonly value: number;
}

/** A column and its place in the rows. */
interface Placed {
  readonly column: RowColumn;
  readonly index: number;
}

/** Rows as Avro, in the form that Confluent's deserializers read: a zero, the id of the schema, and the record. */
export function avroRows({ columns, key }: RowSchema, ids: SchemaIds): RowFormat {
  const all = columns.map((column, index) => ({ column, index }));
  const ofKey = all.filter(({ column }) => key.includes(column.name));
  return {
    key: (rows, row) => (ids.key === undefined ? null : encoded(rows, row, ofKey, ids.key)),
    value: (rows, row) => encoded(rows, row, all, ids.value),
  };
}

function encoded(rows: Rows, row: number, columns: readonly Placed[], id: number): Uint8Array {
  const writer = new AvroWriter();
  for (const { column, index } of columns) writeField(writer, column, rows.columns[index]?.[row] ?? null);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(id, 1);
  return Buffer.concat([head, writer.finish()]);
}

function writeField(writer: AvroWriter, { name, nullable }: RowColumn, value: RowValue): void {
  // Which branch of the union: null, or the type.
  if (nullable) writer.long(value === null ? 0 : 1);
  if (value === null) invariant(nullable, `column ${name} has a value`);
  else writeValue(writer, value);
}

function writeValue(writer: AvroWriter, value: NonNullable<RowValue>): void {
  switch (typeof value) {
    case "string":
      writer.string(value);
      break;
    case "bigint":
      writer.long(value);
      break;
    case "number":
      writer.double(value);
      break;
    case "boolean":
      writer.boolean(value);
      break;
    default:
      // One block with all items, and an empty one that ends the list.
      if (value.length > 0) writer.long(value.length);
      for (const item of value) writer.string(item);
      writer.long(0);
  }
}
