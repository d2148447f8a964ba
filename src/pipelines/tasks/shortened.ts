import { isRecord } from "../../base/text/json-value.js";

/** The most characters of a text. */
const longest = 1_000;

/**
 * A value for a document of bounded size: long lists and long texts are truncated.
 * @param most the most items of a list
 */
export function shortened<Value>(value: Value, most: number): Value {
  return cut(value, most) as Value;
}

function cut(value: unknown, most: number): unknown {
  if (typeof value === "string")
    return value.length > longest ? `${value.slice(0, longest)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.slice(0, most).map((item) => cut(item, most));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cut(item, most)]));
}
