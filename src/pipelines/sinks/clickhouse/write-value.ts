import type { RowValue } from "../../changes/rows.js";
import type { ValueType } from "../../changes/schema.js";
import { timestampText } from "../../changes/timestamp-text.js";
import type { ClickHouseForm } from "../../definition/clickhouse-type.js";
import type { ByteWriter } from "./byte-writer.js";

/** Writes a value other than null in ClickHouse's binary form. Returns the reason if it cannot. */
export type WriteValue = (writer: ByteWriter, value: Exclude<RowValue, null>) => string | undefined;

/** How values of a type are written into a column. No value is cut, rounded or wrapped, except in a float column that the user chose. */
export function writeValue(form: ClickHouseForm, type: ValueType): WriteValue {
  switch (form.kind) {
    case "string":
      return (writer, value) => {
        writer.text(textOf(value, type));
        return undefined;
      };
    case "fixed":
      return (writer, value) => {
        const bytes = writer.bareText(String(value));
        return bytes === form.bytes ? undefined : `has ${bytes} bytes, not ${form.bytes}`;
      };
    case "bool":
      return (writer, value) => {
        writer.byte(value === true ? 1 : 0);
        return undefined;
      };
    case "float":
      return (writer, value) => {
        writer.float(Number(value), form.bits);
        return undefined;
      };
    case "integer":
      return integers(form.bits, form.isSigned);
    case "decimal":
      return decimals(form.digits, form.scale);
    case "datetime":
      return (writer, value) => {
        const microseconds = microsecondsOf(value, type);
        if (microseconds % 1_000_000n !== 0n) return "has a fraction of a second";
        const seconds = microseconds / 1_000_000n;
        if (seconds < 0n || seconds > 0xffff_ffffn) return "is not between 1970 and 2106";
        writer.integer(seconds, 32);
        return undefined;
      };
    case "datetime64":
      return moments(form.scale, type);
    case "strings":
      throw new Error("lists are written by column");
  }
}

/** A LONG is seconds since 1970, a TIMESTAMP microseconds. */
function microsecondsOf(value: Exclude<RowValue, null>, type: ValueType): bigint {
  return type === "LONG" ? (value as bigint) * 1_000_000n : (value as bigint);
}

/** Fills the place of a null. */
export function zeroBytes(form: ClickHouseForm): number {
  switch (form.kind) {
    case "fixed":
      return form.bytes;
    case "float":
    case "integer":
      return form.bits / 8;
    case "decimal":
      return decimalBits(form.digits) / 8;
    case "datetime":
      return 4;
    case "datetime64":
      return 8;
    default:
      return 1;
  }
}

function textOf(value: Exclude<RowValue, null>, type: ValueType): string {
  if (typeof value === "string") return value;
  if (type === "TIMESTAMP") return timestampText(value as bigint);
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const integerText = /^[+-]?\d{1,100}$/;

function integers(bits: number, isSigned: boolean): WriteValue {
  const low = isSigned ? -(2n ** BigInt(bits - 1)) : 0n;
  const high = isSigned ? 2n ** BigInt(bits - 1) - 1n : 2n ** BigInt(bits) - 1n;
  return (writer, value) => {
    if (bits >= 64 && typeof value === "string" && value.length <= 15 && /^\d+$/.test(value)) {
      writer.count(Number(value), bits);
      return undefined;
    }
    if (typeof value === "string" && !integerText.test(value)) return "is not an integer";
    const integer = BigInt(value as string | bigint);
    if (integer < low || integer > high) return `is not between ${low} and ${high}`;
    writer.integer(integer, bits);
    return undefined;
  };
}

function decimalBits(digits: number): number {
  return [9, 18, 38, 76].reduce((bits, most) => (digits > most ? bits * 2 : bits), 32);
}

function decimals(digits: number, scale: number): WriteValue {
  const bits = decimalBits(digits);
  const limit = 10n ** BigInt(digits);
  return (writer, value) => {
    const [, sign = "", whole = "", fraction = "", exponent = "0"] =
      /^([+-]?)(\d{0,400})(?:\.(\d{0,400}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(String(value)) ?? [];
    if (whole === "" && fraction === "") return "is not a decimal number";
    const shift = scale - fraction.length + Number(exponent);
    const unscaled = BigInt(`${whole}${fraction}`);
    const divisor = shift < 0 ? 10n ** BigInt(-shift) : 1n;
    if (unscaled % divisor !== 0n) return `has more than ${scale} digits after the decimal point`;
    const scaled = shift < 0 ? unscaled / divisor : unscaled * 10n ** BigInt(shift);
    if (scaled >= limit) return `has more than ${digits - scale} digits before the decimal point`;
    writer.integer(sign === "-" ? -scaled : scaled, bits);
    return undefined;
  };
}

/** The first and the last moment of DateTime64, in microseconds. */
const earliest = BigInt(Date.UTC(1900, 0, 1)) * 1_000n;
const latest = BigInt(Date.UTC(2300, 0, 1)) * 1_000n;
/** Nanoseconds since 1970 have 64 bits. */
const latestNanoseconds = (2n ** 63n - 1n) / 1_000n;

function moments(scale: number, type: ValueType): WriteValue {
  const divisor = scale < 6 ? 10n ** BigInt(6 - scale) : 1n;
  const factor = scale > 6 ? 10n ** BigInt(scale - 6) : 1n;
  return (writer, value) => {
    const microseconds = microsecondsOf(value, type);
    if (microseconds < earliest || microseconds >= latest) return "is not between 1900 and 2299";
    if (scale === 9 && microseconds > latestNanoseconds) return "is not between 1900 and 2262";
    if (microseconds % divisor !== 0n) return `has more than ${scale} digits of a second`;
    writer.integer((microseconds / divisor) * factor, 64);
    return undefined;
  };
}
