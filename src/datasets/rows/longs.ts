import { ChainError } from "../../runtime/chain/chain.js";

/** A node's answer has an integer that its column cannot hold. */
class NotInRangeError extends ChainError {
  override readonly name = "NotInRangeError";
}

/** Reads the integer of a column of 64 bits. */
export type ReadLong = <T extends bigint | null | undefined>(column: string, value: T) => bigint | null;

/**
 * Checks integers of signed 64-bit columns: no chain has larger ones, but an answer may.
 * @param place the place for the error, such as "block 5"
 */
export function longs(place: string): ReadLong {
  return (column, value) => {
    if (value === null || value === undefined) return null;
    if (BigInt.asIntN(64, value) === value) return value;
    throw new NotInRangeError(`${place}: ${column} is ${value}, which does not fit into 64 bits`);
  };
}
