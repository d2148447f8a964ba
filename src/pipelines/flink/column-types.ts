import type { ValueType } from "../changes/schema.js";
import { quotedName } from "./sql-text.js";

/**
 * How Flink represents 256-bit integers, although its widest number has 38 digits: as numbers, with an error for a
 * larger one; or as text, which holds all of them but cannot be used in computations.
 */
export type IntegerForm = "decimal" | "string";

/** How topics hold values, by their types: as the sink `kafka` writes them in JSON. */
export const topicTypes: Readonly<Record<ValueType, string>> = {
  STRING: "STRING",
  JSON: "STRING",
  LONG: "BIGINT",
  DOUBLE: "DOUBLE",
  // The JSON format turns a number that is too large into null, so it must arrive as text.
  DECIMAL: "STRING",
  NUMERIC: "STRING",
  BOOLEAN: "BOOLEAN",
  TIMESTAMP: "TIMESTAMP_LTZ(6)",
  "ARRAY<STRING>": "ARRAY<STRING>",
};

/** Digits of the number that holds most integers. */
export const widestDigits = 38;
export const widest = `DECIMAL(${widestDigits}, 0)`;

/** A column of a topic as queries see it. A cast of too many digits is an error. */
export function seenColumn(name: string, type: ValueType, integers: IntegerForm): string {
  const column = quotedName(name);
  return type === "DECIMAL" && integers === "decimal" ? `CAST(${column} AS ${widest}) AS ${column}` : column;
}

/** A moment in UTC as text with all of its digits. @param pattern the quoted pattern of DATE_FORMAT */
export function momentText(column: string, pattern: string): string {
  return `DATE_FORMAT(${column}, ${pattern})`;
}
