import type { SqlFunction } from "./sql-function.js";

/** Whether a dynamic table has a value. */
export type Lookup = (table: string, value: string) => boolean;

/**
 * Whether this is the name of the function that looks values up. Services put their own prefix before it.
 * @param name in lower case
 */
export function isLookup(name: string): boolean {
  return /^(?:_[a-z]{2}_)?dynamic_table_check$/.test(name);
}

/** The function that looks values up, under the name that queries use. */
export function lookupFunction(name: string, has: Lookup): SqlFunction {
  return {
    name,
    parameters: ["text", "text"],
    result: "boolean",
    compute: ([table, value]) => has(table as string, value as string),
  };
}
