import { AbiCoder, ParamType } from "ethers";
import type { EthereumValue } from "../values.js";
import { scalarKind } from "./scalar-kind.js";

const coder = AbiCoder.defaultAbiCoder();
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes ABI data as graph-node does. Invalid UTF-8 is no error: U+FFFD replaces it.
 * @param data hex text with 0x; it may be longer than the types need
 * @param isLoose whether the last bytes need not be padded to a word: old contracts do not
 * @throws Error of ethers when the data is not of these types
 */
export function decodeValues(types: readonly ParamType[], data: string, isLoose = false): EthereumValue[] {
  const decoded = coder.decode(types.map(undemanding), data, isLoose);
  return types.map((type, index) => convert(type, decoded[index]));
}

const undemandingTypes = new WeakMap<ParamType, ParamType>();

/**
 * A type that ethers decodes without validation: `bytes` for every `string`, since ethers refuses invalid
 * UTF-8; numbers for addresses, which spares computing checksums; and whole words for integers, whose upper
 * bits ethers would mask.
 */
function undemanding(type: ParamType): ParamType {
  const known = undemandingTypes.get(type);
  if (known) return known;
  const signature = type
    .format("sighash")
    .replace(/\bstring\b/g, "bytes")
    .replace(/\b(u?int)\d+/g, "$1256")
    .replace(/\baddress\b/g, "uint160");
  const made = ParamType.from(signature);
  undemandingTypes.set(type, made);
  return made;
}

/** @param value as ethers decodes the undemanding type */
function convert(type: ParamType, value: unknown): EthereumValue {
  if (type.isArray()) {
    const items = listed(value).map((item) => convert(type.arrayChildren, item));
    return { kind: type.arrayLength === -1 ? "array" : "fixedArray", value: items };
  }
  if (type.isTuple()) {
    const items = listed(value);
    return { kind: "tuple", value: type.components.map((part, index) => convert(part, items[index])) };
  }
  const kind = scalarKind(type);
  if (typeof value === "bigint") {
    if (kind === "int" || kind === "uint") return { kind, value };
    if (kind === "address") return { kind, value: `0x${value.toString(16).padStart(40, "0")}` };
  }
  if (typeof value === "boolean" && kind === "bool") return { kind, value };
  if (typeof value === "string") {
    if (kind === "bytes" || kind === "fixedBytes") return { kind, value: value.toLowerCase() };
    if (kind === "string") return { kind, value: utf8.decode(Buffer.from(value.slice(2), "hex")) };
  }
  throw new Error(`${String(value)} is not a value of ${type.format()}`);
}

/** The items of a decoded list; each may be an error. */
function listed(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${String(value)} is not a list`);
  return [...value];
}
