import { literal, quoted } from "../../base/text/sql-quotes.js";
import type { RowColumn, ValueType } from "../changes/schema.js";

/** Facts about a column that has a value in every row. */
export interface FilledColumn {
  /** Bytes of each of its texts, if all have the same length. */
  readonly length?: number | undefined;
}

/**
 * An expression that is the hash of a row as an integer of 128 bits, the same as `hashesOfRows` computes.
 * @param columns in their stored form: 256-bit integers as text, and times in microseconds
 * @param filled by name, columns that have a value in every row; their facts make it faster
 */
export function rowHashSql(
  columns: readonly RowColumn[],
  filled: ReadonlyMap<string, FilledColumn> = new Map(),
): string {
  const parts = columns.flatMap(({ name, type }) => {
    const known = filled.get(name);
    return known ? filledParts(quoted(name), type, known) : [hashedText(quoted(name), type)];
  });
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "object" && typeof last === "object")
      joined.splice(-1, 1, { text: last.text + part.text });
    else joined.push(part);
  }
  const values = joined.map((part) => (typeof part === "string" ? part : literal(part.text)));
  return `md5_number(concat(${values.join(", ")}))`;
}

/** Whether the texts of a column may all have the same length, which `rowHashSql` exploits. */
export function isText(type: ValueType): boolean {
  return type === "STRING" || type === "JSON" || type === "DECIMAL" || type === "NUMERIC";
}

/** A part of the hashed text: an expression, or a literal text. */
type Part = string | { readonly text: string };

/** The text of a non-null value, in parts for `concat`, which avoids an intermediate text for each. */
function filledParts(column: string, type: ValueType, { length }: FilledColumn): readonly Part[] {
  if (isText(type))
    return length === undefined
      ? [{ text: "s" }, `strlen(${column})`, { text: ":" }, column]
      : [{ text: `s${length}:` }, column];
  switch (type) {
    case "LONG":
    case "TIMESTAMP":
      return [{ text: "i" }, column, { text: ";" }];
    case "BOOLEAN":
      return [`CASE WHEN ${column} THEN 't' ELSE 'f' END`];
    default:
      return [hashedText(column, type)];
  }
}

function hashedText(column: string, type: ValueType): string {
  switch (type) {
    case "STRING":
    case "JSON":
    case "DECIMAL":
    case "NUMERIC":
      return `coalesce(${textOf(column)}, '-')`;
    case "LONG":
    case "TIMESTAMP":
      return `coalesce('i' || ${column} || ';', '-')`;
    case "BOOLEAN":
      return `CASE WHEN ${column} IS NULL THEN '-' WHEN ${column} THEN 't' ELSE 'f' END`;
    case "DOUBLE":
      return `coalesce('n' || CASE WHEN isnan(${column}) THEN ${bitsOfNaN} ELSE ${column}::BIT::BIGINT END || ';', '-')`;
    case "ARRAY<STRING>": {
      const items = `list_transform(${column}, lambda item: coalesce(${textOf("item")}, '-'))`;
      return `coalesce('a' || len(${column}) || ':' || array_to_string(${items}, ''), '-')`;
    }
  }
}

function textOf(value: string): string {
  return `'s' || strlen(${value}) || ':' || ${value}`;
}

/** The bits of JavaScript's NaN. */
const bitsOfNaN = "9221120237041090560";
