import { AbiCoder, getBytes, isError, ParamType } from "ethers";
import type { EthereumValue } from "../values.js";
import { toEthereumValue } from "./decode-values.js";
import { type WordReader, wordLength, wordReader } from "./decode-words.js";

/**
 * Decodes ABI-encoded values.
 * @param hex text that holds them
 * @param offset of their first digit: 2 after `0x`, 10 after a selector
 * @returns nothing when they do not decode
 */
export type DataDecoder = (hex: string, offset: number) => EthereumValue[] | undefined;

/** A decoder for values of some types, one after the other. */
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
  const coder = AbiCoder.defaultAbiCoder();
  const raw = types.map((type) => ParamType.from(rawType(type)));
  return (hex, offset) => {
    try {
      // Loose, because old contracts do not pad the last bytes to a word, and graph-node does not mind.
      const values = coder.decode(raw, offset === 2 ? hex : `0x${hex.slice(offset)}`, true);
      return types.map((type, index) => toEthereumValue(type, withStrings(type, values[index])));
    } catch (error) {
      if (isUndecodable(error)) return undefined;
      throw error;
    }
  };
}

function isUndecodable(error: unknown): boolean {
  if (isError(error, "BUFFER_OVERRUN") || isError(error, "INVALID_ARGUMENT")) return true;
  // What is wrong inside of a list comes up when the item is read, in an error around the one that says it.
  return error instanceof Error && "error" in error && isUndecodable(error.error);
}

/**
 * The type as ethers reads it without judging: bytes for text, which need not be UTF-8 on chain and is to be read all
 * the same, and numbers for addresses, whose checksums nobody needs.
 */
function rawType(type: ParamType): string {
  if (type.isArray()) {
    return `${rawType(type.arrayChildren)}[${type.arrayLength === -1 ? "" : type.arrayLength}]`;
  }
  if (type.isTuple()) return `(${type.components.map(rawType).join(",")})`;
  if (type.baseType === "address") return "uint160";
  return type.baseType === "string" ? "bytes" : type.type;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Values of a type in which the bytes of text have become text. */
function withStrings(type: ParamType, value: unknown): unknown {
  if (type.isArray()) return listOf(value).map((item) => withStrings(type.arrayChildren, item));
  if (type.isTuple()) {
    const items = listOf(value);
    return type.components.map((component, index) => withStrings(component, items[index]));
  }
  return type.baseType === "string" && typeof value === "string" ? decoder.decode(getBytes(value)) : value;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? [...value] : [];
}
