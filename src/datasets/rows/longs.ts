import { ChainError } from "../../runtime/chain/chain.js";

/** A node's answer contains an integer too large for its column. */
class NotInRangeError extends ChainError {
  override readonly name = "NotInRangeError";
}

/** Reads an integer for a 64-bit column. */
export type ReadLong = <T extends bigint | null | undefined>(column: string, value: T) => bigint | null;

/**
 * Checks integers for signed 64-bit columns: no chain has larger ones, but an answer may.
 * @param place the place for the error, such as "block 5"
 */
export function longs(place: string): ReadLong {
  return (column, value) => {
    if (value === null || value === undefined) return null;
    if (BigInt.asIntN(64, value) === value) return value;
    throw new NotInRangeError(`${place}: ${column} is ${value}, which does not fit into 64 bits`);
  };
}
