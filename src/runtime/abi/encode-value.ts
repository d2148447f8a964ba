import type { ParamType } from "ethers/abi";
import { toBeHex, toTwos } from "ethers/utils";
import type { EthereumValue } from "../values.js";
import { decodeValues } from "./decode-values.js";
import { isEmptyType, isTooDeep, parseType, withFunctions } from "./written-type.js";

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
    case "function":
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
  return decodeWritten(type, (parsed) => {
    const [value] = decodeValues([parsed], data, true);
    return value && !isTooDeep(value) ? value : undefined;
  });
}

/**
 * `abi.decode` of the parameters of a function or an event, such as `(address,string)`: a tuple has no offset before it,
 * and every other type is one parameter.
 * @returns `undefined` when the type is invalid or the data does not match it
 */
export function decodeParameters(type: string, data: string): EthereumValue | undefined {
  return decodeWritten(type, (parsed) => {
    const values = decodeValues(parsed.isTuple() ? parsed.components : [parsed], data, true);
    if (values.some((value) => isTooDeep(value))) return undefined;
    return parsed.isTuple() ? { kind: "tuple", value: values } : values[0];
  });
}

function decodeWritten(
  type: string,
  decode: (parsed: ParamType) => EthereumValue | undefined,
): EthereumValue | undefined {
  try {
    const parsed = parseType(type);
    if (!isEmptyType(parsed)) return withFunctions(parsed, decode(parsed));
    if (parsed.isTuple()) return { kind: "tuple", value: [] };
    return { kind: parsed.arrayLength === -1 ? "array" : "fixedArray", value: [] };
  } catch {
    return undefined;
  }
}
