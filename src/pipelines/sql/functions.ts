import { decodingFunctions } from "./decoding.js";
import { integerFunctions } from "./integers.js";
import type { SqlFunction } from "./sql-function.js";

/** Functions on texts and times that Flink has and DuckDB has not. */
const textFunctions: readonly SqlFunction[] = [
  {
    name: "split_index",
    parameters: ["text", "text", "integer"],
    result: "text",
    compute: ([text, separator, index]) => partOf(text as string, separator as string, index as bigint),
  },
  {
    name: "from_unixtime",
    parameters: ["integer"],
    result: "text",
    compute: ([seconds]) => timeText(seconds as bigint),
  },
];

const own: readonly SqlFunction[] = [...decodingFunctions, ...integerFunctions, ...textFunctions];

/** Older names of functions. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["log_decode", "evm_log_decode"],
  ["tx_decode", "evm_tx_decode"],
]);

/**
 * Our function with a name that the SQL engine lacks; `undefined` if there is none. A service's own prefix, as in
 * `_ab_log_decode`, makes no difference.
 * @param name in lower case
 */
export function functionNamed(name: string): SqlFunction | undefined {
  const bare = name.replace(/^_[a-z]{2}_/, "");
  const found = own.find((one) => one.name === (aliases.get(bare) ?? bare));
  return found && { ...found, name };
}

/** The functions under their own names. */
export const sqlFunctions = own;

/** A part of a text, counted from 0; null if there is none. Without a separator, white space separates. */
function partOf(text: string, separator: string, index: bigint): string | null {
  if (index < 0n || index > BigInt(text.length)) return null;
  return text.split(separator === "" ? /\s/ : separator)[Number(index)] ?? null;
}

/** A time in UTC, as `2026-01-31 12:00:00`; null beyond the year 9999. @param seconds since 1970 */
function timeText(seconds: bigint): string | null {
  const [least, most] = [-62_135_596_800n, 253_402_300_799n];
  if (seconds < least || seconds > most) return null;
  return new Date(Number(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ");
}
