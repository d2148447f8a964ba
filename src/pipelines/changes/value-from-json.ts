import { wellFormed } from "../../base/text/well-formed.js";
import type { RowValue } from "./rows.js";
import type { ValueType } from "./schema.js";

/**
 * The value of a column from a value of JSON that others have written.
 * @returns `undefined` for a value that the column cannot hold
 */
export function valueFromJson(value: unknown, type: ValueType): RowValue | undefined {
  switch (type) {
    case "STRING":
      return typeof value === "string" ? wellFormed(value) : undefined;
    case "JSON":
      return JSON.stringify(value);
    case "BOOLEAN":
      return typeof value === "boolean" ? value : undefined;
    case "DOUBLE":
      return typeof value === "number" ? value : undefined;
    case "LONG":
      return within(integerOf(value), 63n);
    case "DECIMAL": {
      const integer = within(integerOf(value), 256n);
      return integer === undefined ? undefined : String(integer);
    }
    case "NUMERIC":
      return decimalOf(value);
    case "TIMESTAMP":
      return typeof value === "string" ? timeOf(value) : undefined;
    case "ARRAY<STRING>":
      return Array.isArray(value) && value.every((item) => typeof item === "string")
        ? value.map((item) => wellFormed(item))
        : undefined;
  }
}

/** An integer that JSON readers have not rounded: a number up to 2^53, or digits. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  return typeof value === "string" && /^-?\d{1,78}$/.test(value) ? BigInt(value) : undefined;
}

/** @param bits without the sign */
function within(value: bigint | undefined, bits: bigint): bigint | undefined {
  if (value === undefined) return undefined;
  const end = 1n << bits;
  return value < end && value >= -end ? value : undefined;
}

function decimalOf(value: unknown): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && /^-?\d{1,500}(?:\.\d{1,500})?$/.test(text) ? text : undefined;
}

/** Microseconds since 1970 of a time in ISO 8601. */
function timeOf(text: string): bigint | undefined {
  const [, seconds = "", fraction = "", zone = ""] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  const time = Date.parse(`${seconds}${zone}`);
  return Number.isNaN(time) ? undefined : BigInt(time) * 1_000n + BigInt(fraction.padEnd(6, "0"));
}
