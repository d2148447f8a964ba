import { DeterministicError } from "../errors.js";
import type { ContractCall, EthereumValue } from "../values.js";
import { deeper } from "./depth.js";
import type { Heap } from "./heap.js";
import { readBigInt } from "./numbers-in-heap.js";
import { TypeId } from "./type-id.js";

/** `ethereum.ValueKind` by number. graph-ts does not declare the last one, which graph-node 0.45 has. */
const kinds = [
  "address",
  "fixedBytes",
  "bytes",
  "int",
  "uint",
  "bool",
  "string",
  "fixedArray",
  "array",
  "tuple",
  "function",
] as const;

const kindNumbers = Object.fromEntries(kinds.map((kind, i) => [kind, i])) as Record<
  EthereumValue["kind"],
  number
>;

export function writeEthereumValue(heap: Heap, value: EthereumValue): number {
  return heap.tagged(TypeId.EthereumValue, kindNumbers[value.kind], payload(heap, value));
}

function payload(heap: Heap, value: EthereumValue): number {
  switch (value.kind) {
    case "address":
    case "fixedBytes":
    case "bytes":
    case "function":
      return heap.hex(value.value);
    case "int":
    case "uint":
      return heap.bigInt(value.value);
    case "bool":
      return value.value ? 1 : 0;
    case "string":
      return heap.string(value.value);
    default:
      return writeEthereumValues(heap, value.value);
  }
}

export function writeEthereumValues(heap: Heap, values: readonly EthereumValue[]): number {
  const items = values.map((value) => writeEthereumValue(heap, value));
  return heap.array(TypeId.ArrayEthereumValue, items);
}

export function readEthereumValue(heap: Heap, at: number, depth = 0): EthereumValue {
  const number = heap.member(at, 0);
  const pointer = heap.member(at, 2);
  const kind = kinds[number];
  switch (kind) {
    case "address":
      return { kind, value: readAddress(heap, pointer) };
    case "fixedBytes":
    case "bytes":
      return { kind, value: heap.readHex(pointer) };
    case "function":
      return { kind, value: readSized(heap, pointer, 24, "a function") };
    case "int":
      return { kind, value: fitting(readBigInt(heap, pointer), BigInt.asIntN, "int256") };
    case "uint":
      return { kind, value: fitting(readBigInt(heap, pointer), BigInt.asUintN, "uint256") };
    case "bool":
      return { kind, value: pointer !== 0 };
    case "string":
      return { kind, value: heap.readString(pointer) };
    case undefined:
      throw new DeterministicError(`an ethereum.Value cannot have the kind ${number}`);
    default: {
      const next = deeper(depth);
      return { kind, value: heap.readArray(pointer).map((item) => readEthereumValue(heap, item, next)) };
    }
  }
}

function fitting(value: bigint, cut: (bits: number, value: bigint) => bigint, type: string): bigint {
  if (cut(256, value) !== value) throw new DeterministicError(misfitOf(value, type));
  return value;
}

/** Says in graph-node's words why a number does not fit. */
function misfitOf(value: bigint, type: string): string {
  return type === "uint256" && value < 0n
    ? `BigInt value is negative, cannot convert to unsigned U256: ${value}`
    : `BigInt value \`${value}\` does not fit into ${type}`;
}

export function readAddress(heap: Heap, at: number): string {
  return readSized(heap, at, 20, "an address");
}

function readSized(heap: Heap, at: number, size: number, what: string): string {
  const hex = heap.readHex(at);
  if (hex.length !== 2 + 2 * size)
    throw new DeterministicError(`${what} must have ${size} bytes, but this one is ${hex}`);
  return hex;
}

export function readContractCall(heap: Heap, at: number): ContractCall {
  return {
    contract: heap.readString(heap.member(at, 0)),
    address: readAddress(heap, heap.member(at, 1)),
    name: heap.readString(heap.member(at, 2)),
    signature: heap.readString(heap.member(at, 3)),
    args: heap.readArray(heap.member(at, 4)).map((argument) => readEthereumValue(heap, argument)),
  };
}
