import { decimalText, parseDecimal } from "../../runtime/numbers/big-decimal.js";
import { bigIntFault, decimalFault, integerFault, misfit } from "../../runtime/numbers/parse-faults.js";
import { timestampText } from "../../store/database/timestamps.js";
import { QueryError } from "../query-error.js";
import type { QueryValue } from "./values.js";

/**
 * Returns the hex digits of bytes in lower case.
 * @param text with or without 0x
 * @param complaint returns the message for a problem
 * @throws QueryError
 */
export function decodeHex(text: string, complaint: (reason: string) => string): string {
  const digits = hexDigits(text);
  const bytes = new TextEncoder().encode(digits);
  if (bytes.length % 2 !== 0) throw new QueryError(complaint("Odd number of digits"));
  const bad = bytes.findIndex((byte) => !/[0-9a-fA-F]/.test(String.fromCharCode(byte)));
  if (bad === -1) return digits.toLowerCase();
  const character = String.fromCharCode(bytes[bad] ?? 0);
  throw new QueryError(complaint(`Invalid character '${character}' at position ${bad}`));
}

/** The digits after the prefix 0x, which graph-node accepts any number of times. */
export function hexDigits(text: string): string {
  return text.replace(/^(?:0x)+/, "");
}

/**
 * Converts a single value to the database's form.
 * @param scalar of the schema; any type without a special form is treated as a string
 * @throws QueryError if the string is not valid for the scalar
 */
export function decodeScalar(value: QueryValue, scalar: string): string {
  const text = scalarText(value);
  switch (scalar) {
    case "Bytes":
      return `\\x${decodeHex(text, (reason) => undecodable(scalar, reason))}`;
    case "BigInt":
      return bigInt(text);
    case "BigDecimal":
      return bigDecimal(text);
    case "Int8":
      return int8(text, () => undecodable(scalar, text));
    case "Timestamp":
      return timestamp(text);
    default:
      return text;
  }
}

/** The digits of a 64-bit integer. @throws QueryError */
export function int8(text: string, complaint: (reason: string) => string): string {
  const reason = integerFault(text);
  if (reason !== undefined) throw new QueryError(complaint(reason));
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) === value) return value.toString();
  throw new QueryError(complaint(misfit(value < 0n)));
}

function undecodable(scalar: string, reason: string): string {
  return `Failed to decode \`${scalar}\` value: \`${reason}\``;
}

function scalarText(value: QueryValue): string {
  return "value" in value ? String(value.value) : "";
}

function bigInt(text: string): string {
  const fault = bigIntFault(text);
  if (fault !== undefined) throw new QueryError(undecodable("BigInt", fault));
  return text.replace(/^\+/, "").replaceAll("_", "");
}

/** No stored number has an exponent beyond these, which would only cost memory. */
const largestExponent = 20_000;

function bigDecimal(text: string): string {
  const fault = decimalFault(text) ?? exponentFault(text);
  if (fault !== undefined) throw new QueryError(undecodable("BigDecimal", fault));
  return decimalText(parseDecimal(text));
}

function exponentFault(text: string): string | undefined {
  const [, exponent = "0"] = /[eE]\+?(.*)$/.exec(text) ?? [];
  return Math.abs(Number(exponent)) > largestExponent ? "the exponent is out of range" : undefined;
}

/** @param text microseconds since 1970 */
function timestamp(text: string): string {
  if (!/^[+-]?\d{1,19}$/.test(text)) throw new QueryError(undecodable("Timestamp", text));
  return timestampText(BigInt(text.replace(/^\+/, "")));
}
