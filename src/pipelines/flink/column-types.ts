import type { ValueType } from "../changes/schema.js";
import { quotedName } from "./sql-text.js";

/**
 * What integers of 256 bits are in Flink, whose widest number has 38 digits: numbers, and a larger one is an error; or
 * text, which holds all of them but cannot be computed with.
 */
export type IntegerForm = "decimal" | "string";

/** How topics hold values, by their types: as the sink `kafka` writes them in JSON. */
export const topicTypes: Readonly<Record<ValueType, string>> = {
  STRING: "STRING",
  JSON: "STRING",
  LONG: "BIGINT",
  DOUBLE: "DOUBLE",
  // The JSON format makes null of a number that is too large, so that it has to arrive as text.
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

/** A moment in UTC as text with all of its digits. @param pattern as DATE_FORMAT has it, quoted */
export function momentText(column: string, pattern: string): string {
  return `DATE_FORMAT(${column}, ${pattern})`;
}
