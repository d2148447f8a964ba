import { AbiCoder, ParamType } from "ethers";
import { DeterministicError } from "../errors.js";
import type { EthereumValue } from "../values.js";

const coder = AbiCoder.defaultAbiCoder();
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Decodes ABI data as graph-node does. Text that is not valid UTF-8 is no error: what is wrong becomes U+FFFD.
 * @param data hex text with 0x; it may be longer than the types need
 * @throws Error of ethers when the data is not of these types
 */
export function decodeValues(types: readonly ParamType[], data: string): readonly EthereumValue[] {
  const decoded = coder.decode(types.map(decodable), data);
  return types.map((type, i) => converted(type, decoded[i], textOfBytes));
}

const decodableTypes = new WeakMap<ParamType, ParamType>();

/**
 * The type with `bytes` for every `string`, since ethers refuses text that is not valid, and with numbers for addresses,
 * whose checksums nobody needs.
 */
function decodable(type: ParamType): ParamType {
  const known = decodableTypes.get(type);
  if (known) return known;
  const signature = type
    .format("sighash")
    .replace(/\bstring\b/g, "bytes")
    .replace(/\baddress\b/g, "uint160");
  const made = ParamType.from(signature);
  decodableTypes.set(type, made);
  return made;
}

function textOfBytes(hex: string): string {
  return utf8.decode(Buffer.from(hex.slice(2), "hex"));
}

/**
 * What a mapping gets for a value.
 * @param value as ethers decodes it
 */
export function toEthereumValue(type: ParamType, value: unknown): EthereumValue {
  return converted(type, value, (text) => text);
}

function converted(type: ParamType, value: unknown, textOf: (value: string) => string): EthereumValue {
  if (type.isArray()) {
    const items = listed(value).map((item) => converted(type.arrayChildren, item, textOf));
    return { kind: type.arrayLength === -1 ? "array" : "fixedArray", value: items };
  }
  if (type.isTuple()) {
    const items = listed(value);
    return { kind: "tuple", value: type.components.map((part, i) => converted(part, items[i], textOf)) };
  }
  const kind = scalarKind(type);
  if (typeof value === "bigint") {
    if (kind === "int" || kind === "uint") return { kind, value };
    if (kind === "address") return { kind, value: `0x${value.toString(16).padStart(40, "0")}` };
  }
  if (typeof value === "boolean" && kind === "bool") return { kind, value };
  if (typeof value === "string") {
    if (kind === "address" || kind === "bytes" || kind === "fixedBytes")
      return { kind, value: value.toLowerCase() };
    if (kind === "string") return { kind, value: textOf(value) };
  }
  throw new Error(`${String(value)} is not a value of ${type.format()}`);
}

/** The members of a list as ethers decodes it, of which each may be an error. */
function listed(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`${String(value)} is not a list`);
  return [...value];
}

type Kind = EthereumValue["kind"];

function kindOf(type: ParamType): Kind {
  if (type.isArray()) return type.arrayLength === -1 ? "array" : "fixedArray";
  return type.isTuple() ? "tuple" : scalarKind(type);
}

function scalarKind({ baseType }: ParamType): Kind {
  switch (baseType) {
    case "address":
    case "bool":
    case "string":
    case "bytes":
      return baseType;
    default:
      if (baseType.startsWith("uint")) return "uint";
      return baseType.startsWith("int") ? "int" : "fixedBytes";
  }
}

/** Bits of an integer type, bytes of a fixed bytes type. */
const widthOf = ({ baseType }: ParamType): number => Number(baseType.replace(/^\D+/, ""));

/**
 * An argument of a call as ethers encodes it. Integers may be of any size that fits the type, fixed bytes may be
 * shorter than it; everything else must be exactly of its kind.
 * @throws DeterministicError when graph-node would refuse it
 */
export function toAbiValue(type: ParamType, value: EthereumValue): unknown {
  if (kindOf(type) !== value.kind) throw mismatch(type, value);
  switch (value.kind) {
    case "array":
    case "fixedArray": {
      const items = value.value;
      const expected = type.arrayLength ?? -1;
      if (expected !== -1 && items.length !== expected) throw mismatch(type, value);
      return items.map((item) => toAbiValue(childOf(type), item));
    }
    case "tuple": {
      const components = type.components ?? [];
      if (value.value.length !== components.length) throw mismatch(type, value);
      return components.map((part, i) => toAbiValue(part, value.value[i] ?? value));
    }
    case "fixedBytes": {
      const length = 2 + widthOf(type) * 2;
      if (value.value.length > length) throw mismatch(type, value);
      return value.value.padEnd(length, "0");
    }
    case "int":
      return fitting(type, value.value, BigInt.asIntN(widthOf(type), value.value));
    case "uint":
      return fitting(type, value.value, BigInt.asUintN(widthOf(type), value.value));
    default:
      return value.value;
  }
}

function childOf(type: ParamType): ParamType {
  if (!type.isArray()) throw new Error(`${type.format()} is not a list`);
  return type.arrayChildren;
}

function fitting(type: ParamType, value: bigint, cut: bigint): bigint {
  if (cut !== value) throw new DeterministicError(`${value} does not fit into ${type.format()}`);
  return value;
}

function mismatch(type: ParamType, value: EthereumValue): DeterministicError {
  return new DeterministicError(`type mismatch, token ${tokenText(value)} is not of kind ${type.format()}`);
}

function tokenText({ kind, value }: EthereumValue): string {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const text = Array.isArray(value) ? `[${value.map(tokenText).join(", ")}]` : String(value);
  return `${name}(${text})`;
}
