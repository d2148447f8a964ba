import type { ValueType } from "../changes/schema.js";
import { isNode } from "../sql/syntax-tree.js";
import { quotedName } from "./sql-text.js";

/**
 * How Flink represents 256-bit integers, although its widest number has 38 digits: as numbers, with an error for a
 * larger one; or as text, which holds all of them, and with which only some expressions can compute.
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

/** The types of DuckDB that Flink also has. */
const types: Readonly<Record<string, string>> = {
  BOOLEAN: "BOOLEAN",
  TINYINT: "TINYINT",
  SMALLINT: "SMALLINT",
  INTEGER: "INT",
  BIGINT: "BIGINT",
  HUGEINT: widest,
  FLOAT: "FLOAT",
  DOUBLE: "DOUBLE",
  VARCHAR: "STRING",
  DATE: "DATE",
  TIMESTAMP: "TIMESTAMP(6)",
  "TIMESTAMP WITH TIME ZONE": "TIMESTAMP_LTZ(6)",
};

/** The name in Flink's SQL for a type in a syntax tree; `undefined` if Flink has none. */
export function flinkType(type: unknown, integers: IntegerForm): string | undefined {
  if (!isNode(type) || typeof type.id !== "string") return undefined;
  const about = isNode(type.type_info) ? type.type_info : {};
  if (about.alias !== undefined) return undefined;
  if (type.id === "BIGNUM") return integers === "decimal" ? widest : "STRING";
  if (type.id === "DECIMAL") return `DECIMAL(${Number(about.width ?? 18)}, ${Number(about.scale ?? 0)})`;
  if (type.id === "LIST") {
    const item = flinkType(about.child_type, integers);
    return item && `ARRAY<${item}>`;
  }
  return types[type.id];
}
