import type { RowColumn, RowSchema, ValueType } from "../../../changes/schema.js";

/** The schemas of a topic's records, as JSON. */
export interface AvroSchemas {
  /** `undefined` if rows have no key. */
  readonly key: string | undefined;
  readonly value: string;
}

/** Integers of 256 bits and decimal numbers are text, since readers of Avro's decimals stop at 38 digits. */
const types: Readonly<Record<ValueType, unknown>> = {
  STRING: "string",
  JSON: "string",
  LONG: "long",
  DOUBLE: "double",
  DECIMAL: "string",
  NUMERIC: "string",
  BOOLEAN: "boolean",
  TIMESTAMP: { type: "long", logicalType: "timestamp-micros" },
  "ARRAY<STRING>": { type: "array", items: "string" },
};

/** The schemas of rows and of their keys: flat records, whose nullable columns are null by default. */
export function avroSchemas({ columns, key }: RowSchema): AvroSchemas {
  const ofKey = columns.filter(({ name }) => key.includes(name));
  return {
    key: ofKey.length === 0 ? undefined : recordOf("Key", ofKey),
    value: recordOf("Row", columns),
  };
}

function recordOf(name: string, columns: readonly RowColumn[]): string {
  const fields = columns.map((column) =>
    column.nullable
      ? { name: column.name, type: ["null", types[column.type]], default: null }
      : { name: column.name, type: types[column.type] },
  );
  return JSON.stringify({ type: "record", name, namespace: "graphloom", fields });
}
