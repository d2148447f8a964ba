import type { Entity, EntityChange, StoreValue } from "../../../src/subgraph/schema/entity.js";

export const text = (value: string): StoreValue => ({ kind: "String", value });
export const bytes = (value: string): StoreValue => ({ kind: "Bytes", value });
export const int = (value: number): StoreValue => ({ kind: "Int", value });
export const int8 = (value: bigint): StoreValue => ({ kind: "Int8", value });
export const timestamp = (value: bigint): StoreValue => ({ kind: "Timestamp", value });
export const bigInt = (value: bigint): StoreValue => ({ kind: "BigInt", value });
export const decimal = (digits: bigint, exponent: number): StoreValue => ({
  kind: "BigDecimal",
  value: { digits, exponent },
});
export const bool = (value: boolean): StoreValue => ({ kind: "Bool", value });
export const list = (...value: StoreValue[]): StoreValue => ({ kind: "Array", value });
export const none: StoreValue = { kind: "Null" };

export const entity = (fields: Readonly<Record<string, StoreValue>>): Entity =>
  new Map(Object.entries(fields));

/** Entities as a store receives them: without nulls. */
const withoutNulls = (fields: Readonly<Record<string, StoreValue>>): Entity =>
  new Map(Object.entries(fields).filter(([, { kind }]) => kind !== "Null"));

export const set = (
  type: string,
  id: string,
  fields: Readonly<Record<string, StoreValue>>,
): EntityChange => ({
  kind: "set",
  type,
  id,
  entity: withoutNulls({ id: text(id), ...fields }),
});

export const remove = (type: string, id: string): EntityChange => ({ kind: "remove", type, id });

/** A block of a chain that a letter identifies. */
export const block = (number: number, fork = "a") => ({ number, hash: `0x${fork}${number}` });
