import type { StoreValue } from "./entity.js";

/** What the store needs of a schema: entity types, and the interfaces across which ids are unique. */
export interface EntitySchema {
  /** In schema order. */
  readonly types: ReadonlyMap<string, EntityType>;
  /** Names of the types that implement each interface, by interface name. */
  readonly implementers: ReadonlyMap<string, readonly string[]>;
  /** The values of enums, by enum name. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
  readonly aggregations: readonly Aggregation[];
  readonly fulltext: readonly FulltextSearch[];
}

/** A type with `@entity`. */
export interface EntityType {
  readonly name: string;
  /** Whether its entities never change after the block that writes them. */
  readonly immutable: boolean;
  /** Whether a later write to an immutable entity is silently ignored. */
  readonly skipDuplicates: boolean;
  /** Whether it is a timeseries. Timeseries are immutable, and the host assigns their ids and timestamps. */
  readonly timeseries: boolean;
  readonly idKind: IdKind;
  readonly fields: ReadonlyMap<string, Field>;
  /** All fields except derived ones, sorted by name. */
  readonly stored: readonly Field[];
  /** Stored fields that are not nullable. */
  readonly required: readonly Field[];
  /** Types with a common interface, which must not share ids with this type. */
  readonly rivals: readonly string[];
}

export interface Field {
  readonly name: string;
  /** The type as written in the schema: `[Token!]!`. */
  readonly text: string;
  /** Kind of the value or of a list's items. A reference has the kind of its target's id. */
  readonly kind: ValueKind;
  /** Whether it is a list. Also true for a list of lists, which can store only the empty list. */
  readonly list: boolean;
  readonly nonNull: boolean;
  /** For a derived field: the target's field that refers back. Nothing is stored. */
  readonly derivedFrom?: string;
  /** `ID`, `BigInt`, …; for a reference the type of the target's id, for an enum its name. */
  readonly scalar: string;
  /** The entity type or interface that it refers to. */
  readonly target?: string;
  /** Values of an enum. */
  readonly allowed?: ReadonlySet<string>;
}

export const aggregationIntervals = ["hour", "day"] as const;
export type AggregationInterval = (typeof aggregationIntervals)[number];
export const aggregateFunctions = ["sum", "max", "min", "count", "first", "last"] as const;
export type AggregateFunction = (typeof aggregateFunctions)[number];

/** A type with `@aggregation`: hourly or daily totals of a timeseries. */
export interface Aggregation {
  readonly name: string;
  /** The timeseries. */
  readonly source: string;
  readonly intervals: readonly AggregationInterval[];
  /** In schema order. */
  readonly fields: ReadonlyMap<string, AggregationField>;
}

/** A field of an aggregation. Without an aggregate, it is the id, the timestamp or a dimension. */
export interface AggregationField extends Field {
  readonly aggregate?: Aggregate;
}

/** How a field is computed. */
export interface Aggregate {
  readonly fn: AggregateFunction;
  /** A field of the source, or an expression over its fields; absent for `count`. */
  readonly arg?: string;
  /** Whether it covers everything so far, not only the interval. */
  readonly cumulative: boolean;
}

/** A search declared with `@fulltext`. */
export interface FulltextSearch {
  readonly name: string;
  /** `en` */
  readonly language: string;
  readonly algorithm: "rank" | "proximityRank";
  /** The fields to search, by entity type. */
  readonly include: ReadonlyMap<string, readonly string[]>;
}

export type ValueKind = Exclude<StoreValue["kind"], "Array" | "Null">;

export const idKinds = ["String", "Bytes", "Int8"] as const satisfies readonly ValueKind[];
export type IdKind = (typeof idKinds)[number];

/** A write that violates the schema, or a schema that cannot be run. */
export class SchemaError extends Error {}
