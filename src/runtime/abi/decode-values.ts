import { AbiCoder, ParamType } from "ethers/abi";
import type { EthereumValue } from "../values.js";
import { scalarKind } from "./scalar-kind.js";

const coder = AbiCoder.defaultAbiCoder();
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes ABI data as graph-node does. Invalid UTF-8 is not an error: U+FFFD replaces it.
 * @param data hex string with 0x; it may be longer than the types need
 * @param isLoose whether the last bytes may lack the padding to a whole word, as in old contracts
 * @throws an Error when the data does not match these types
 */
export function decodeValues(types: readonly ParamType[], data: string, isLoose = false): EthereumValue[] {
  const prepared = types.map(preparedFor);
  if (prepared.some(({ items }) => items > Math.max(data.length / 64, mostItems)))
    throw new Error("the types have more items than the data");
  const decoded = coder.decode(
    prepared.map(({ undemanding }) => undemanding),
    data,
    isLoose,
  );
  return types.map((type, index) => convert(type, decoded[index]));
}

/**
 * The most items of fixed-length lists to let ethers decode, even if the data has fewer: it prepares all of them
 * before it looks at the data, and a type such as `bool[4294967296]` would keep it busy forever.
 */
const mostItems = 65_536;

/** The items that ethers prepares for to decode a value of a type. */
function itemsOf(type: ParamType): number {
  if (type.isArray()) return Math.max(1, type.arrayLength) * Math.max(1, itemsOf(type.arrayChildren));
  return type.isTuple() ? type.components.reduce((sum, part) => sum + itemsOf(part), 0) : 1;
}

/** What decoding needs to know about a type. */
interface Prepared {
  readonly undemanding: ParamType;
  readonly items: number;
}

const preparedTypes = new WeakMap<ParamType, Prepared>();

function preparedFor(type: ParamType): Prepared {
  const known = preparedTypes.get(type);
  if (known) return known;
  const made = { undemanding: undemandingOf(type), items: itemsOf(type) };
  preparedTypes.set(type, made);
  return made;
}

/**
 * A type that ethers decodes without validation. `bytes` replaces `string`, because ethers refuses invalid UTF-8.
 * Numbers replace addresses, which avoids computing checksums. Whole words replace integers, because ethers would
 * mask their upper bits.
 */
function undemandingOf(type: ParamType): ParamType {
  const signature = type
    .format("sighash")
    .replace(/\bstring\b/g, "bytes")
    .replace(/\b(u?int)\d+/g, "$1256")
    .replace(/\baddress\b/g, "uint160");
  return ParamType.from(signature);
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

/** The items of a decoded list. Reading an item may throw. */
function listed(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${String(value)} is not a list`);
  return [...value];
}
