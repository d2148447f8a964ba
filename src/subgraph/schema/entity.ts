/** An entity: its non-null values by field name, sorted by name. */
export type Entity = ReadonlyMap<string, StoreValue>;

/** A value of the store. Bytes are lower-case hex with 0x. */
export type StoreValue =
  | { readonly kind: "String"; readonly value: string }
  | { readonly kind: "Bytes"; readonly value: string }
  | { readonly kind: "Int"; readonly value: number }
  | { readonly kind: "Int8"; readonly value: bigint }
  | { readonly kind: "Timestamp"; readonly value: bigint }
  | { readonly kind: "BigInt"; readonly value: bigint }
  | { readonly kind: "BigDecimal"; readonly value: BigDecimal }
  | { readonly kind: "Bool"; readonly value: boolean }
  | { readonly kind: "Array"; readonly value: readonly StoreValue[] }
  | { readonly kind: "Null" };

/** digits * 10^exponent, normalized as in graph-node. */
export interface BigDecimal {
  readonly digits: bigint;
  readonly exponent: number;
}

export type EntityChange = EntityWrite & {
  /** The causality region of the file data source that makes the change; absent for changes by the chain. */
  readonly region?: number;
};

type EntityWrite =
  | { readonly kind: "set"; readonly type: string; readonly id: string; readonly entity: Entity }
  | { readonly kind: "remove"; readonly type: string; readonly id: string };
