import { quoted } from "../../base/sql-quotes.js";
import type { FlowColumn, FlowType } from "../changes/schema.js";

/**
 * An expression that is the hash of a row as an integer of 128 bits, the same as `hashesOfRows` computes.
 * @param columns as they are stored: integers of 256 bits as text, and times in microseconds
 */
export function rowHashSql(columns: readonly FlowColumn[]): string {
  const texts = columns.map(({ name, type }) => hashedText(quoted(name), type));
  return `md5_number(concat(${texts.join(", ")}))`;
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
