import type { ParamType } from "ethers/abi";
import { isError } from "ethers/utils";
import type { EthereumValue } from "../values.js";
import { decodeValues } from "./decode-values.js";
import { type WordReader, wordLength, wordReader } from "./decode-words.js";

/**
 * Decodes ABI-encoded values.
 * @param hex hex string that contains the values
 * @param offset position of the first digit: 2 after `0x`, 10 after a selector
 * @returns `undefined` when the data does not decode
 */
export type DataDecoder = (hex: string, offset: number) => EthereumValue[] | undefined;

/** Makes a decoder for a sequence of types. */
export function dataDecoder(types: readonly ParamType[]): DataDecoder {
  const readers = types.map(wordReader);
  const known = readers.filter((reader) => reader !== undefined);
  return known.length === readers.length ? wordsDecoder(known) : generalDecoder(types);
}

function wordsDecoder(readers: readonly WordReader[]): DataDecoder {
  const length = readers.length * wordLength;
  return (hex, offset) => {
    if (hex.length - offset < length) return undefined;
    return readers.map((read, index) => read(hex, offset + index * wordLength));
  };
}

function generalDecoder(types: readonly ParamType[]): DataDecoder {
  return (hex, offset) => {
    try {
      return decodeValues(types, offset === 2 ? hex : `0x${hex.slice(offset)}`, true);
    } catch (error) {
      if (isUndecodable(error)) return undefined;
      throw error;
    }
  };
}

function isUndecodable(error: unknown): boolean {
  if (isError(error, "BUFFER_OVERRUN") || isError(error, "INVALID_ARGUMENT")) return true;
  // ethers reports a malformed list item only when the item is read, wrapped in another error.
  return error instanceof Error && "error" in error && isUndecodable(error.error);
}
