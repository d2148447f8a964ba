import { ParamType } from "ethers/abi";
import { toBeHex, toTwos } from "ethers/utils";
import type { EthereumValue } from "../values.js";
import { decodeValues } from "./decode-values.js";

/**
 * `abi.encode(value)`, with the type inferred from the value's kinds; `undefined` when fixed bytes are too
 * long for any type.
 */
export function encodeValue(value: EthereumValue): string | undefined {
  const encoded = sequence([value]);
  return encoded === undefined ? undefined : `0x${encoded}`;
}

/** `abi.encode` of several values, such as the parameters of an event. @returns as `encodeValue` */
export function encodeValues(values: readonly EthereumValue[]): string | undefined {
  const encoded = sequence(values);
  return encoded === undefined ? undefined : `0x${encoded}`;
}

/** Heads and tails as a hex string without 0x. */
function sequence(values: readonly EthereumValue[]): string | undefined {
  const bodies: string[] = [];
  for (const value of values) {
    const encoded = body(value);
    if (encoded === undefined) return undefined;
    bodies.push(encoded);
  }
  const dynamic = values.map(isDynamic);
  let offset = bodies.reduce((size, encoded, i) => size + (dynamic[i] ? 64 : encoded.length), 0) / 2;
  const heads = bodies.map((encoded, i) => {
    if (!dynamic[i]) return encoded;
    const head = word(BigInt(offset));
    offset += encoded.length / 2;
    return head;
  });
  return heads.join("") + bodies.filter((_, i) => dynamic[i]).join("");
}

function isDynamic(value: EthereumValue): boolean {
  if (value.kind === "fixedArray" || value.kind === "tuple") return value.value.some(isDynamic);
  return value.kind === "bytes" || value.kind === "string" || value.kind === "array";
}

const word = (value: bigint): string => toBeHex(value, 32).slice(2);

/** Right-padded with zeros to whole words. */
const padded = (hex: string): string => hex.padEnd(Math.ceil(hex.length / 64) * 64, "0");

function body(value: EthereumValue): string | undefined {
  switch (value.kind) {
    case "address":
      return value.value.slice(2).padStart(64, "0");
    case "fixedBytes":
      return value.value.length > 66 ? undefined : value.value.slice(2).padEnd(64, "0");
    case "int":
      return word(toTwos(value.value, 256));
    case "uint":
      return word(value.value);
    case "bool":
      return word(value.value ? 1n : 0n);
    case "bytes":
      return word(BigInt(value.value.length / 2 - 1)) + padded(value.value.slice(2));
    case "string": {
      const bytes = Buffer.from(value.value);
      return word(BigInt(bytes.length)) + padded(bytes.toString("hex"));
    }
    case "array": {
      const items = sequence(value.value);
      return items === undefined ? undefined : word(BigInt(value.value.length)) + items;
    }
    default:
      return sequence(value.value);
  }
}

/**
 * `abi.decode` of one value of a type such as `(address,uint256)`; `undefined` when the type is invalid or
 * the data does not match it.
 */
export function decodeValue(type: string, data: string): EthereumValue | undefined {
  try {
    return decodeValues([parseType(type)], data, true)[0];
  } catch {
    return undefined;
  }
}

/**
 * `abi.decode` of the parameters of a function or an event, such as `(address,string)`: a tuple has no offset before it,
 * and every other type is one parameter.
 * @returns `undefined` when the type is invalid or the data does not match it
 */
export function decodeParameters(type: string, data: string): EthereumValue | undefined {
  try {
    const parsed = parseType(type);
    if (!parsed.isTuple()) return decodeValues([parsed], data, true)[0];
    return { kind: "tuple", value: decodeValues(parsed.components, data, true) };
  } catch {
    return undefined;
  }
}

/**
 * Parses a type. As graph-node, it takes no names and no lists without items, and spaces only inside parentheses, before
 * and after all types, and after commas.
 * @throws Error for another type
 */
function parseType(type: string): ParamType {
  const dense = type
    .replace(/([(,])[ \t]+/g, "$1")
    .replace(/[ \t]+\)?/g, (spaces) => (spaces.endsWith(")") ? ")" : spaces));
  if (!/^(?:[a-z\d(),]|\[0*[1-9]\d*\]|\[\])+$/.test(dense)) throw new Error("not the form of a type");
  return ParamType.from(dense);
}
