import type { ParamType } from "ethers/abi";
import type { EthereumValue } from "../values.js";

/** Reads the value of the 32-byte word that starts at an offset of a hex string. */
export type WordReader = (hex: string, offset: number) => EthereumValue;

/** Hex digits of a word. */
export const wordLength = 64;
const zeroWord = "0".repeat(wordLength);

/**
 * Returns a reader for a type whose values take one word; `undefined` for other types. As in graph-node, an
 * integer is the whole word, whatever the width of its type. For other types the padding is ignored.
 */
export function wordReader({ baseType, type }: ParamType): WordReader | undefined {
  if (baseType === "address") return readAddress;
  if (baseType === "bool") return readBool;
  if (baseType.startsWith("uint")) return readUint;
  if (baseType.startsWith("int")) return readInt;
  if (baseType.startsWith("bytes") && baseType !== "bytes") {
    return fixedBytesReader(Number(type.slice("bytes".length)));
  }
  return undefined;
}

const readAddress: WordReader = (hex, offset) => ({
  kind: "address",
  value: `0x${hex.slice(offset + wordLength - 40, offset + wordLength)}`,
});

const readBool: WordReader = (hex, offset) => ({
  kind: "bool",
  value: hex.slice(offset, offset + wordLength) !== zeroWord,
});

const readUint: WordReader = (hex, offset) => ({ kind: "uint", value: wordAt(hex, offset) });

const readInt: WordReader = (hex, offset) => ({
  kind: "int",
  value: BigInt.asIntN(256, wordAt(hex, offset)),
});

function wordAt(hex: string, offset: number): bigint {
  return BigInt(`0x${hex.slice(offset, offset + wordLength)}`);
}

function fixedBytesReader(size: number): WordReader {
  return (hex, offset) => ({ kind: "fixedBytes", value: `0x${hex.slice(offset, offset + 2 * size)}` });
}
