import type { DuckDBValue } from "@duckdb/node-api";
import { literal, quoted } from "../../../base/text/sql-quotes.js";
import type { RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";

/** The schema of a table, which is the part before the first dot of its name; `undefined` if it has none. */
export function schemaOf(name: string): string | undefined {
  const dot = name.indexOf(".");
  return dot === -1 ? undefined : name.slice(0, dot);
}

/** A table's name in SQL. */
export function tableName(name: string): string {
  const schema = schemaOf(name);
  return schema === undefined ? quoted(name) : `${quoted(schema)}.${quoted(name.slice(schema.length + 1))}`;
}

/**
 * The name of the table with the rows; the node's own name is a view, which reads only the columns that a query
 * uses.
 */
export const storage = "graphloom$stored";

/** The SQL name of the relation with a table's rows. */
export function storedName(name: string): string {
  return `${quoted(storage)}.${quoted(name)}`;
}

/** A query of names of tables and views with the numbers of their rows. @param names one at least */
export function countsSql(names: readonly string[]): string {
  return names
    .map((name) => `select ${literal(name)}, count(*) from ${tableName(name)}`)
    .join("\nunion all\n");
}

type DuckDb = Pick<typeof import("@duckdb/node-api"), "DuckDBListValue">;

/** The types in which rows arrive: 256-bit integers as text, which is faster to hand over. */
export const storedTypes: Readonly<Record<ValueType, string>> = {
  STRING: "VARCHAR",
  JSON: "JSON",
  LONG: "BIGINT",
  DOUBLE: "DOUBLE",
  DECIMAL: "VARCHAR",
  NUMERIC: "VARCHAR",
  BOOLEAN: "BOOLEAN",
  TIMESTAMP: "BIGINT",
  "ARRAY<STRING>": "VARCHAR[]",
};

/** The types in which computed rows are kept: JSON has become text. */
export const keptTypes: Readonly<Record<ValueType, string>> = { ...storedTypes, JSON: "VARCHAR" };

/** A value of a result in the form of its column's type. */
export function rowValue({ DuckDBListValue }: DuckDb, value: DuckDBValue): RowValue {
  return value instanceof DuckDBListValue ? (value.items as string[]) : (value as RowValue);
}

/** A stored column as queries see it. */
export function seen({ name, type }: RowColumn): string {
  const column = quoted(name);
  if (type === "DECIMAL") return `${column}::BIGNUM AS ${column}`;
  if (type === "TIMESTAMP") return `make_timestamp(${column}) AS ${column}`;
  return column;
}

/** The type of a column of a result, and the expression that reads it in that type's form. */
export function readForm(
  name: string,
  engineType: string,
): { readonly type: ValueType; readonly read: string } {
  const column = quoted(name);
  const text = `${column}::VARCHAR`;
  switch (engineType.replace(/\(.*/, "")) {
    case "BOOLEAN":
      return { type: "BOOLEAN", read: column };
    case "TINYINT":
    case "SMALLINT":
    case "INTEGER":
    case "BIGINT":
    case "UTINYINT":
    case "USMALLINT":
    case "UINTEGER":
      return { type: "LONG", read: `${column}::BIGINT` };
    case "UBIGINT":
    case "HUGEINT":
    case "UHUGEINT":
    case "BIGNUM":
      return { type: "DECIMAL", read: text };
    case "DECIMAL":
      return { type: engineType.endsWith(",0)") ? "DECIMAL" : "NUMERIC", read: text };
    case "FLOAT":
    case "DOUBLE":
      return { type: "DOUBLE", read: `${column}::DOUBLE` };
    case "TIMESTAMP":
    case "TIMESTAMP_S":
    case "TIMESTAMP_MS":
    case "TIMESTAMP_NS":
    case "TIMESTAMP WITH TIME ZONE":
      return { type: "TIMESTAMP", read: `epoch_us(${column})` };
    case "BLOB":
      return { type: "STRING", read: `'0x' || lower(hex(${column}))` };
    case "JSON":
      return { type: "JSON", read: text };
    case "VARCHAR[]":
      return { type: "ARRAY<STRING>", read: column };
    default:
      if (/\]$|^(?:STRUCT|MAP|UNION|VARIANT)/.test(engineType))
        return { type: "JSON", read: `to_json(${column})::VARCHAR` };
      return { type: "STRING", read: text };
  }
}
