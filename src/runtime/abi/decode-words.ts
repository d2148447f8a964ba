import type { ParamType } from "ethers";
import type { EthereumValue } from "../values.js";

/** Reads the value of one 32-byte word that begins at an offset of hex text. */
export type WordReader = (hex: string, offset: number) => EthereumValue;

/** Hex digits of a word. */
export const wordLength = 64;
const zeroWord = "0".repeat(wordLength);

/**
 * A reader for a type whose values take one word each, nothing for other types. Bits of the word that the type does
 * not have are ignored, as graph-node ignores them.
 */
export function wordReader({ baseType, type }: ParamType): WordReader | undefined {
  if (baseType === "address") return readAddress;
  if (baseType === "bool") return readBool;
  if (baseType.startsWith("uint")) return uintReader(Number(type.slice("uint".length)));
  if (baseType.startsWith("int")) return intReader(Number(type.slice("int".length)));
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

function uintReader(bits: number): WordReader {
  const digits = bits / 4;
  return (hex, offset) => ({
    kind: "uint",
    value: BigInt(`0x${hex.slice(offset + wordLength - digits, offset + wordLength)}`),
  });
}

function intReader(bits: number): WordReader {
  const digits = bits / 4;
  return (hex, offset) => {
    const magnitude = BigInt(`0x${hex.slice(offset + wordLength - digits, offset + wordLength)}`);
    return { kind: "int", value: BigInt.asIntN(bits, magnitude) };
  };
}

function fixedBytesReader(size: number): WordReader {
  return (hex, offset) => ({ kind: "fixedBytes", value: `0x${hex.slice(offset, offset + 2 * size)}` });
}
