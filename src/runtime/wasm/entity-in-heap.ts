import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import { DeterministicError } from "../errors.js";
import { isTimestamp } from "../numbers/timestamp.js";
import { deeper } from "./depth.js";
import type { Heap } from "./heap.js";
import { readBigDecimal, readBigInt, writeBigDecimal } from "./numbers-in-heap.js";
import { TypeId } from "./type-id.js";

const Kind = {
  String: 0,
  Int: 1,
  BigDecimal: 2,
  Bool: 3,
  Array: 4,
  Null: 5,
  Bytes: 6,
  BigInt: 7,
  Int8: 8,
  Timestamp: 9,
} as const;

/** Reads the fields that the mapping set, in the mapping's order. Fields set to null have the kind `Null`. */
export function readEntity(heap: Heap, at: number): Entity {
  const entity = new Map<string, StoreValue>();
  for (const entry of heap.readArray(heap.member(at, 0))) {
    entity.set(heap.readString(heap.member(entry, 0)), readStoreValue(heap, heap.member(entry, 1), 0));
  }
  return entity;
}

export function readStoreValue(heap: Heap, at: number, depth: number): StoreValue {
  const kind = heap.member(at, 0);
  const payload = heap.member(at, 2);
  switch (kind) {
    case Kind.String:
      return { kind: "String", value: heap.readString(payload) };
    case Kind.Int:
      return { kind: "Int", value: payload | 0 };
    case Kind.BigDecimal:
      return { kind: "BigDecimal", value: readBigDecimal(heap, payload) };
    case Kind.Bool:
      return { kind: "Bool", value: payload !== 0 };
    case Kind.Array: {
      const next = deeper(depth);
      const items = heap.readArray(payload);
      return { kind: "Array", value: items.map((item) => readStoreValue(heap, item, next)) };
    }
    case Kind.Null:
      return { kind: "Null" };
    case Kind.Bytes:
      return { kind: "Bytes", value: heap.readHex(payload) };
    case Kind.BigInt:
      return { kind: "BigInt", value: readBigInt(heap, payload) };
    case Kind.Int8:
      return { kind: "Int8", value: long(heap, at) };
    case Kind.Timestamp:
      return { kind: "Timestamp", value: timestamp(long(heap, at)) };
    default:
      throw new DeterministicError(`a store Value cannot have the kind ${kind}`);
  }
}

function long(heap: Heap, at: number): bigint {
  return BigInt.asIntN(64, (BigInt(heap.member(at, 3)) << 32n) | BigInt(heap.member(at, 2)));
}

function timestamp(microseconds: bigint): bigint {
  if (isTimestamp(microseconds)) return microseconds;
  throw new DeterministicError(
    `Invalid timestamp format: ${microseconds} is not a valid time in microseconds`,
  );
}

/** Writes an entity as graph-node does: sorted by field. */
export function writeEntity(heap: Heap, entity: Entity): number {
  const entries: number[] = [];
  for (const [name, value] of sorted(entity)) {
    const members = [heap.string(name), writeStoreValue(heap, value)];
    entries.push(heap.struct(TypeId.StoreEntry, members));
  }
  return heap.struct(TypeId.StoreMap, [heap.array(TypeId.ArrayStoreEntry, entries)]);
}

/** A fast path: most entities are sorted already. */
function sorted(entity: Entity): Iterable<readonly [string, StoreValue]> {
  let last = "";
  for (const name of entity.keys()) {
    if (name < last) return [...entity].sort(([a], [b]) => (a < b ? -1 : 1));
    last = name;
  }
  return entity;
}

export function writeStoreValue(heap: Heap, value: StoreValue): number {
  const tagged = (low: number, high?: number): number =>
    heap.tagged(TypeId.StoreValue, Kind[value.kind], low, high);
  switch (value.kind) {
    case "String":
      return tagged(heap.string(value.value));
    case "Int":
      return tagged(value.value, value.value >> 31);
    case "BigDecimal":
      return tagged(writeBigDecimal(heap, value.value));
    case "Bool":
      return tagged(value.value ? 1 : 0);
    case "Array": {
      const items = value.value.map((item) => writeStoreValue(heap, item));
      return tagged(heap.array(TypeId.ArrayStoreValue, items));
    }
    case "Null":
      return tagged(0);
    case "Bytes":
      return tagged(heap.hex(value.value));
    case "BigInt":
      return tagged(heap.bigInt(value.value));
    default:
      return tagged(Number(BigInt.asUintN(32, value.value)), Number(BigInt.asUintN(32, value.value >> 32n)));
  }
}
