import { SQL, type SqlFragment } from "../../../store/database/database.js";
import type { RowValue } from "../../changes/rows.js";
import type { ValueType } from "../../changes/schema.js";
import { timestampText } from "../../changes/timestamp-text.js";
import type { OverrideType, PostgresTypeName } from "../../definition/override-type.js";

/** The types of new columns. A 256-bit integer has up to 78 digits. */
export const columnTypes: Readonly<Record<ValueType, SqlFragment>> = {
  STRING: SQL`text`,
  JSON: SQL`jsonb`,
  LONG: SQL`bigint`,
  DOUBLE: SQL`double precision`,
  DECIMAL: SQL`numeric(78,0)`,
  NUMERIC: SQL`numeric`,
  BOOLEAN: SQL`boolean`,
  TIMESTAMP: SQL`timestamp with time zone`,
  "ARRAY<STRING>": SQL`text[]`,
};

const chosen: Readonly<Record<PostgresTypeName, SqlFragment>> = {
  text: SQL`text`,
  varchar: SQL`varchar`,
  char: SQL`char`,
  json: SQL`json`,
  jsonb: SQL`jsonb`,
  smallint: SQL`smallint`,
  integer: SQL`integer`,
  bigint: SQL`bigint`,
  numeric: SQL`numeric`,
  decimal: SQL`numeric`,
  real: SQL`real`,
  "double precision": SQL`double precision`,
  boolean: SQL`boolean`,
  bytea: SQL`bytea`,
  uuid: SQL`uuid`,
  date: SQL`date`,
  timestamp: SQL`timestamp`,
  timestamptz: SQL`timestamptz`,
  "text[]": SQL`text[]`,
};

/** A chosen type as SQL. */
export function chosenType({ name, sizes }: OverrideType): SqlFragment {
  const type = chosen[name];
  const [first, second] = sizes;
  if (first === undefined) return type;
  return second === undefined ? SQL`${type}(${first})` : SQL`${type}(${first}, ${second})`;
}

/**
 * The type to cast text to before it is stored in a column. A cast to a type with a length would silently cut the
 * text, whereas the column refuses it.
 */
export function castType(type: SqlFragment): SqlFragment {
  if (type.startsWith("varchar(")) return chosen.varchar;
  return /^char\b/.test(type) ? SQL`bpchar` : type;
}

/**
 * Whether an existing column holds every value of a type, without cutting or rounding.
 * @param existing the column's type, as printed by format_type()
 */
export function holds(existing: string, type: ValueType): boolean {
  const name = existing.replace(/\(.*/, "");
  switch (type) {
    case "STRING":
      return /^(?:text|character varying|json|jsonb|bytea|uuid)$/.test(existing);
    case "JSON":
      return /^(?:json|jsonb|text)$/.test(existing);
    case "LONG":
      return existing === "bigint" || (name === "numeric" && digitsOf(existing) >= 19);
    case "DOUBLE":
      return existing === "double precision";
    case "DECIMAL":
      return existing === "text" || (name === "numeric" && digitsOf(existing) >= 78);
    case "NUMERIC":
      return existing === "numeric" || existing === "text";
    case "BOOLEAN":
      return existing === "boolean";
    case "TIMESTAMP":
      return existing === "timestamp with time zone";
    case "ARRAY<STRING>":
      return existing === "text[]" || existing === "character varying[]" || existing === "jsonb";
  }
}

/** Digits that a numeric column holds before the decimal point. */
function digitsOf(existing: string): number {
  const [, precision, scale = "0"] = /\((\d+)(?:,(-?\d+))?\)/.exec(existing) ?? [];
  return precision === undefined ? Number.POSITIVE_INFINITY : Number(precision) - Number(scale);
}

/** A value in PostgreSQL's text format. */
export function postgresText(value: RowValue, type: ValueType): string | null {
  if (value === null) return null;
  if (type === "TIMESTAMP") return timestampText(value as bigint);
  if (Array.isArray(value)) return arrayLiteral(value as readonly string[]);
  return String(value);
}

function arrayLiteral(items: readonly string[]): string {
  return `{${items.map((item) => `"${item.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/** Whether the SQL engine prints values of a type as this sink does. */
export function storedAsText(type: ValueType): boolean {
  return type !== "TIMESTAMP" && type !== "DOUBLE" && type !== "ARRAY<STRING>";
}
