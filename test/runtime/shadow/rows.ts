import { hexlify } from "ethers";
import { type BigDecimal, normalized } from "./decimal.js";
import { type ShadowMemory, TypeId } from "./shadow-memory.js";

/** The kinds of a store `Value`, by number. */
export const storeKinds = [
  "String",
  "Int",
  "BigDecimal",
  "Boolean",
  "Array",
  "Null",
  "Bytes",
  "BigInt",
  "Int8",
  "Timestamp",
] as const;

/** A store `Value` outside of any memory. */
export interface StoreValue {
  readonly kind: (typeof storeKinds)[number];
  readonly value: unknown;
}

/** The fields of an entity. */
export type Row = ReadonlyMap<string, StoreValue>;

export function readRow(memory: ShadowMemory, at: number): Row {
  return new Map(memory.readMap(at).map(([key, value]) => [key, readStoreValue(memory, value)]));
}

function readStoreValue(memory: ShadowMemory, at: number): StoreValue {
  const { kind: number, payload } = memory.readTagged(at);
  const kind = storeKinds[number];
  const pointer = Number(BigInt.asUintN(32, payload));
  const value = (): unknown => {
    switch (kind) {
      case "String":
        return memory.readString(pointer).replaceAll("\0", "");
      case "Int":
        return Number(BigInt.asIntN(32, payload));
      case "BigDecimal": {
        const [digits = 0, exponent = 0] = memory.members(pointer, 2);
        return normalized(memory.readBigInt(digits), Number(memory.readBigInt(exponent)));
      }
      case "Boolean":
        return payload !== 0n;
      case "Array":
        return memory.readArray(pointer).map((item) => readStoreValue(memory, item));
      case "Bytes":
        return hexlify(memory.readBytes(pointer));
      case "BigInt":
        return memory.readBigInt(pointer);
      case "Int8":
      case "Timestamp":
        return BigInt.asIntN(64, payload);
      default:
        return null;
    }
  };
  if (!kind) throw new Error(`there is no store Value of kind ${number}`);
  return { kind, value: value() };
}

/** The final fields of an entity: sorted by name, the last value of each, without nulls. */
export function rowOf(fields: Iterable<readonly [string, StoreValue]>): Row {
  const last = [...new Map(fields)];
  return new Map(last.filter(([, { kind }]) => kind !== "Null").sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Writes an entity to memory as graph-node does. Returns 0 for a missing entity. */
export function writeRow(memory: ShadowMemory, row: Row | undefined): number {
  if (!row) return 0;
  const entries = [...rowOf(row)].map(([name, value]) => [name, writeStoreValue(memory, value)] as const);
  return memory.map(entries);
}

function writeStoreValue(memory: ShadowMemory, { kind, value }: StoreValue): number {
  const payload = (): number | bigint => {
    switch (kind) {
      case "String":
        return memory.string(value as string);
      case "BigDecimal": {
        const { digits, exponent } = value as BigDecimal;
        return memory.struct(TypeId.BigDecimal, [memory.bigInt(digits), memory.bigInt(BigInt(exponent))]);
      }
      case "Array": {
        const items = (value as readonly StoreValue[]).map((item) => writeStoreValue(memory, item));
        return memory.array(TypeId.ArrayStoreValue, items);
      }
      case "Bytes":
        return memory.bytes(Buffer.from((value as string).slice(2), "hex"));
      case "BigInt":
        return memory.bigInt(value as bigint);
      default:
        return BigInt(value as number | boolean | bigint);
    }
  };
  return memory.tagged(TypeId.StoreValue, storeKinds.indexOf(kind), BigInt(payload()));
}
