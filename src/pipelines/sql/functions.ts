import { decodingFunctions } from "./decoding.js";
import { integerFunctions } from "./integers.js";
import type { SqlFunction } from "./sql-function.js";
import { textFunctions } from "./text-functions.js";

const own: readonly SqlFunction[] = [...decodingFunctions, ...integerFunctions, ...textFunctions];

/** Older names of functions. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["log_decode", "evm_log_decode"],
  ["tx_decode", "evm_tx_decode"],
]);

/**
 * The function that a query calls by a name that the SQL engine does not have; `undefined` if there is none. Services
 * put a prefix of their own before it, such as `_ab_log_decode`; it makes no difference.
 * @param name in lower case
 */
export function functionNamed(name: string): SqlFunction | undefined {
  const bare = name.replace(/^_[a-z]{2}_/, "");
  const found = own.find((one) => one.name === (aliases.get(bare) ?? bare));
  return found && { ...found, name };
}

/** The functions under their own names. */
export const sqlFunctions = own;
