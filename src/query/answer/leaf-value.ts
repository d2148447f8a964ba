import { decimalText, parseDecimal } from "../../runtime/numbers/big-decimal.js";

/** A value as it came in JSON, as clients get it. @param scalar of the schema, also of a list's items */
export function leafValue(value: unknown, scalar: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => leafValue(item, scalar));
  if (typeof value !== "string") return value ?? null;
  if (scalar === "BigDecimal") return decimalText(parseDecimal(value));
  return scalar === "Bytes" ? `0x${value.slice("\\x".length)}` : value;
}
