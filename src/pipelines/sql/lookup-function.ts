import type { SqlFunction } from "./sql-function.js";

/** Whether a dynamic table has a value. */
export type Lookup = (table: string, value: string) => boolean;

/**
 * Whether queries look values up by calling a function of this name. Services put a prefix of their own before it.
 * @param name in lower case
 */
export function isLookup(name: string): boolean {
  return /^(?:_[a-z]{2}_)?dynamic_table_check$/.test(name);
}

/** The function with which queries look values up, under the name that they use. */
export function lookupFunction(name: string, has: Lookup): SqlFunction {
  return {
    name,
    parameters: ["text", "text"],
    result: "boolean",
    compute: ([table, value]) => has(table as string, value as string),
  };
}
