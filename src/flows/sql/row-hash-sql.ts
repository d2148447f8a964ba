import { quoted } from "../../base/sql-quotes.js";
import type { FlowColumn, FlowType } from "../changes/schema.js";

/**
 * An expression that is the hash of a row as an integer of 128 bits, the same as `hashesOfRows` computes.
 * @param columns as they are stored: integers of 256 bits as text, and times in microseconds
 * @param filled names of columns that have a value in every row, which makes it faster
 */
export function rowHashSql(
  columns: readonly FlowColumn[],
  filled: ReadonlySet<string> = new Set<string>(),
): string {
  const texts = columns.map(({ name, type }) =>
    filled.has(name) ? filledText(quoted(name), type) : hashedText(quoted(name), type),
  );
  return `md5_number(concat(${texts.join(", ")}))`;
}

/** The text of a value that is there, in parts for `concat`, which makes no text of each of them. */
function filledText(column: string, type: FlowType): string {
  switch (type) {
    case "STRING":
    case "JSON":
    case "DECIMAL":
    case "NUMERIC":
      return `'s', strlen(${column}), ':', ${column}`;
    case "LONG":
    case "TIMESTAMP":
      return `'i', ${column}, ';'`;
    default:
      return hashedText(column, type);
  }
}

function hashedText(column: string, type: FlowType): string {
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

/** Of the one that JavaScript has. */
const bitsOfNaN = "9221120237041090560";
