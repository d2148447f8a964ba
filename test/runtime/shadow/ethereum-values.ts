import {
  AbiCoder,
  concat,
  dataLength,
  getBytes,
  hexlify,
  ParamType,
  type Result,
  toBeHex,
  toTwos,
} from "ethers";
import { type ShadowMemory, TypeId } from "./shadow-memory.js";

/** The kinds of `ethereum.Value`, by number. */
const kinds = [
  "ADDRESS",
  "FIXED_BYTES",
  "BYTES",
  "INT",
  "UINT",
  "BOOL",
  "STRING",
  "FIXED_ARRAY",
  "ARRAY",
  "TUPLE",
] as const;
type Kind = (typeof kinds)[number];

/** An `ethereum.Value` outside of any memory: bytes as hex strings, lists as arrays. */
export interface EthereumValue {
  readonly kind: Kind;
  readonly value: string | bigint | boolean | readonly EthereumValue[];
}

const coder = AbiCoder.defaultAbiCoder();

/** Converts an ABI-decoded value as graph-node does. */
export function toEthereumValue(type: ParamType, value: unknown): EthereumValue {
  if (type.isArray()) {
    const items = [...(value as Result)].map((item) => toEthereumValue(type.arrayChildren, item));
    return { kind: type.arrayLength === -1 ? "ARRAY" : "FIXED_ARRAY", value: items };
  }
  if (type.isTuple()) {
    const items = [...(value as Result)];
    return { kind: "TUPLE", value: type.components.map((part, i) => toEthereumValue(part, items[i])) };
  }
  const kind = kindOf(type.baseType);
  return {
    kind,
    value: kind === "ADDRESS" ? String(value).toLowerCase() : (value as EthereumValue["value"]),
  };
}

function kindOf(type: string): Kind {
  if (type.startsWith("uint")) return "UINT";
  if (type.startsWith("int")) return "INT";
  if (/^bytes\d+$/.test(type)) return "FIXED_BYTES";
  return type.toUpperCase() as Kind;
}

/**
 * graph-node's check of a call's argument, and the argument as ethers takes it: integers and fixed bytes may be
 * narrower than declared, everything else must be of the exact kind.
 */
export function checkedArgument(type: ParamType, { kind, value }: EthereumValue, path: string): unknown {
  const expected = type.isArray()
    ? type.arrayLength === -1
      ? "ARRAY"
      : "FIXED_ARRAY"
    : type.isTuple()
      ? "TUPLE"
      : kindOf(type.baseType);
  if (kind !== expected) throw new Error(`${path}: ${type.format()} was passed as ${kind}`);
  if (type.isArray() || type.isTuple()) {
    const items = value as readonly EthereumValue[];
    const wanted = type.isTuple() ? type.components.length : (type.arrayLength ?? -1);
    if (wanted !== -1 && items.length !== wanted) {
      throw new Error(`${path}: ${type.format()} was passed with ${items.length} items`);
    }
    return items.map((item, i) =>
      checkedArgument(part(type.isTuple() ? type.components[i] : type.arrayChildren), item, `${path}[${i}]`),
    );
  }
  if (kind === "FIXED_BYTES") {
    const size = Number(type.baseType.slice("bytes".length));
    if (dataLength(value as string) > size) throw new Error(`${path}: ${value} is longer than ${type.type}`);
    return (value as string).padEnd(2 + size * 2, "0");
  }
  // Encoding throws when the integer does not fit.
  if (kind === "INT" || kind === "UINT") coder.encode([type], [value]);
  return value;
}

function part(type: ParamType | null | undefined): ParamType {
  if (!type) throw new Error("an ABI type without its parts");
  return type;
}

/** `abi.encode(value)` by the value's own kinds, as in graph-node. */
export function encodeValue(value: EthereumValue): string {
  return sequence([value]);
}

function sequence(values: readonly EthereumValue[]): string {
  const bodies = values.map(body);
  const headSize = values.reduce(
    (sum, value, i) => sum + (isDynamic(value) ? 32 : dataLength(bodies[i] ?? "0x")),
    0,
  );
  let tailSize = 0;
  const heads = values.map((value, i) => {
    if (!isDynamic(value)) return bodies[i] ?? "0x";
    const offset = toBeHex(headSize + tailSize, 32);
    tailSize += dataLength(bodies[i] ?? "0x");
    return offset;
  });
  return concat([...heads, ...bodies.filter((_, i) => isDynamic(values[i] as EthereumValue))]);
}

function isDynamic({ kind, value }: EthereumValue): boolean {
  if (kind === "FIXED_ARRAY" || kind === "TUPLE") return (value as readonly EthereumValue[]).some(isDynamic);
  return kind === "BYTES" || kind === "STRING" || kind === "ARRAY";
}

function body({ kind, value }: EthereumValue): string {
  switch (kind) {
    case "ADDRESS":
      return coder.encode(["address"], [value]);
    case "FIXED_BYTES":
      return (value as string).padEnd(66, "0");
    case "INT":
      return toBeHex(toTwos(value as bigint, 256), 32);
    case "UINT":
      return toBeHex(value as bigint, 32);
    case "BOOL":
      return toBeHex(value ? 1 : 0, 32);
    case "BYTES":
      return `0x${coder.encode(["bytes"], [value]).slice(66)}`;
    case "STRING":
      return `0x${coder.encode(["string"], [value]).slice(66)}`;
    case "ARRAY": {
      const items = value as readonly EthereumValue[];
      return concat([toBeHex(items.length, 32), sequence(items)]);
    }
    default:
      return sequence(value as readonly EthereumValue[]);
  }
}

/** `ethereum.decode`: a value of the named type, or undefined. */
export function decodeValue(types: string, data: string): EthereumValue | undefined {
  const type = ParamType.from(types);
  try {
    return toEthereumValue(type, coder.decode([type], data)[0]);
  } catch {
    return undefined;
  }
}

export function writeEthereumValue(memory: ShadowMemory, { kind, value }: EthereumValue): number {
  const payload = (): number | bigint => {
    switch (kind) {
      case "ADDRESS":
      case "FIXED_BYTES":
      case "BYTES":
        return memory.bytes(getBytes(value as string));
      case "INT":
      case "UINT":
        return memory.bigInt(value as bigint);
      case "BOOL":
        return value ? 1 : 0;
      case "STRING":
        return memory.string(value as string);
      default:
        return writeEthereumValues(memory, value as readonly EthereumValue[]);
    }
  };
  return memory.tagged(TypeId.EthereumValue, kinds.indexOf(kind), BigInt(payload()));
}

export function writeEthereumValues(memory: ShadowMemory, values: readonly EthereumValue[]): number {
  return memory.array(
    TypeId.ArrayEthereumValue,
    values.map((value) => writeEthereumValue(memory, value)),
  );
}

export function readEthereumValue(memory: ShadowMemory, at: number): EthereumValue {
  const { kind: number, payload } = memory.readTagged(at);
  const kind = kinds[number];
  const pointer = Number(payload);
  switch (kind) {
    case "ADDRESS":
    case "FIXED_BYTES":
    case "BYTES":
      return { kind, value: hexlify(memory.readBytes(pointer)) };
    case "INT":
    case "UINT":
      return { kind, value: memory.readBigInt(pointer) };
    case "BOOL":
      return { kind, value: payload !== 0n };
    case "STRING":
      return { kind, value: memory.readString(pointer) };
    case undefined:
      throw new Error(`there is no ethereum.Value of kind ${number}`);
    default:
      return { kind, value: memory.readArray(pointer).map((item) => readEthereumValue(memory, item)) };
  }
}
