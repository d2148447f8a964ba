import { decimalText, parseDecimal } from "../../runtime/numbers/big-decimal.js";
import { timestampText } from "../../store/database/timestamps.js";
import { QueryError } from "../query-error.js";
import type { QueryValue } from "./values.js";

/**
 * Hex digits of bytes, in lower case.
 * @param text with 0x or without
 * @param complaint what to say, given what is wrong
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

/** What follows the 0x, of which graph-node takes any number. */
export function hexDigits(text: string): string {
  return text.replace(/^(?:0x)+/, "");
}

/**
 * A single value in the form that the database reads.
 * @param scalar of the schema; anything but a scalar with a form of its own is a text
 * @throws QueryError when the text is not one of the scalar's
 */
export function decodeScalar(value: QueryValue, scalar: string): string {
  const text = textOf(value);
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

/** The digits of an integer of 64 bits. @throws QueryError */
export function int8(text: string, complaint: (reason: string) => string): string {
  const reason = integerFault(text);
  if (reason !== undefined) throw new QueryError(complaint(reason));
  const value = BigInt(text.replace(/^\+/, ""));
  if (BigInt.asIntN(64, value) === value) return value.toString();
  throw new QueryError(complaint(`number too ${value > 0n ? "large" : "small"} to fit in target type`));
}

function integerFault(text: string): string | undefined {
  if (text === "") return "cannot parse integer from empty string";
  return /^[+-]?\d+$/.test(text) ? undefined : "invalid digit found in string";
}

function undecodable(scalar: string, reason: string): string {
  return `Failed to decode \`${scalar}\` value: \`${reason}\``;
}

function textOf(value: QueryValue): string {
  return "value" in value ? String(value.value) : "";
}

function bigInt(text: string): string {
  if (/^[+-]?\d[\d_]*$/.test(text)) return text.replace(/^\+/, "").replaceAll("_", "");
  const reason = /^[+-]?$/.test(text)
    ? "cannot parse integer from empty string"
    : "invalid digit found in string";
  throw new QueryError(undecodable("BigInt", reason));
}

/** Exponents beyond these are of no number that is stored, and would only cost memory. */
const largestExponent = 20_000;

function bigDecimal(text: string): string {
  const fault = decimalFault(text);
  if (fault !== undefined) throw new QueryError(undecodable("BigDecimal", fault));
  return decimalText(parseDecimal(text));
}

/** What is wrong with a decimal number, in the order that graph-node looks at it: first its exponent. */
function decimalFault(text: string): string | undefined {
  const mark = text.search(/[eE]/);
  const base = mark === -1 ? text : text.slice(0, mark);
  const exponent = mark === -1 ? "0" : text.slice(mark + 1).replace(/^\+/, "");
  const fault = integerFault(exponent);
  if (fault !== undefined) return fault;
  if (base === "") return "Failed to parse empty string";
  const digits = base.replace(".", "");
  if (/^[+-]?$/.test(digits)) return "cannot parse integer from empty string";
  if (!/^[+-]?\d[\d_]*$/.test(digits)) return "invalid digit found in string";
  return Math.abs(Number(exponent)) > largestExponent ? "the exponent is out of range" : undefined;
}

/** @param text microseconds since 1970 */
function timestamp(text: string): string {
  if (!/^[+-]?\d{1,19}$/.test(text)) throw new QueryError(undecodable("Timestamp", text));
  return timestampText(BigInt(text.replace(/^\+/, "")));
}
