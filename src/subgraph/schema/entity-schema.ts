import type { StoreValue } from "./entity.js";

/** A schema as the store needs it: entity types by name, and the interfaces across which ids are unique. */
export interface EntitySchema {
  /** In the order of the schema. */
  readonly types: ReadonlyMap<string, EntityType>;
  /** Names of the types that implement an interface, by its name. */
  readonly implementers: ReadonlyMap<string, readonly string[]>;
  /** The values of enums, by their names. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
  readonly aggregations: readonly Aggregation[];
  readonly fulltext: readonly FulltextSearch[];
}

/** A type with `@entity`. */
export interface EntityType {
  readonly name: string;
  /** Immutable: its entities are written in one block and never changed afterwards. */
  readonly immutable: boolean;
  /** Whether a later write to an immutable entity is ignored without an error. */
  readonly skipDuplicates: boolean;
  /** A timeseries: the host assigns ids and timestamps. Timeseries are immutable. */
  readonly timeseries: boolean;
  readonly idKind: IdKind;
  readonly fields: ReadonlyMap<string, Field>;
  /** Stored fields, sorted by name: all but the derived ones. */
  readonly stored: readonly Field[];
  /** Stored fields that are not nullable. */
  readonly required: readonly Field[];
  /** Types whose entities must not share an id with one of this type, because they share an interface. */
  readonly rivals: readonly string[];
}

/** One field of an entity type. */
export interface Field {
  readonly name: string;
  /** The type as written in the schema: `[Token!]!`. */
  readonly text: string;
  /** Kind of the value, or of a list's items; a reference has the kind of its target's id. */
  readonly kind: ValueKind;
  /** Also of a list of lists, in which nothing but the empty list can be stored. */
  readonly list: boolean;
  readonly nonNull: boolean;
  /** Of a derived field: the field of the target that refers back. Nothing is stored. */
  readonly derivedFrom?: string;
  /** `ID`, `BigInt`, …; that of the target's id for a reference, and the name of an enum. */
  readonly scalar: string;
  /** The entity type or interface referred to. */
  readonly target?: string;
  /** Values of an enum. */
  readonly allowed?: ReadonlySet<string>;
}

export const aggregationIntervals = ["hour", "day"] as const;
export type AggregationInterval = (typeof aggregationIntervals)[number];
export const aggregateFunctions = ["sum", "max", "min", "count", "first", "last"] as const;
export type AggregateFunction = (typeof aggregateFunctions)[number];

/** A type with `@aggregation`: what the entities of a timeseries come to in every hour or day. */
export interface Aggregation {
  readonly name: string;
  /** The timeseries. */
  readonly source: string;
  readonly intervals: readonly AggregationInterval[];
  /** In the order of the schema. */
  readonly fields: ReadonlyMap<string, AggregationField>;
}

/** A field of an aggregation; one without an aggregate is the id, the timestamp or a dimension. */
export interface AggregationField extends Field {
  readonly aggregate?: Aggregate;
}

/** What a field is computed as. */
export interface Aggregate {
  readonly fn: AggregateFunction;
  /** A field of the source, or an expression of its fields; nothing for `count`. */
  readonly arg?: string;
  /** Over everything before, not over the interval alone. */
  readonly cumulative: boolean;
}

/** A search declared with `@fulltext`. */
export interface FulltextSearch {
  readonly name: string;
  /** `en` */
  readonly language: string;
  readonly algorithm: "rank" | "proximityRank";
  /** The fields that are searched, by entity type. */
  readonly include: ReadonlyMap<string, readonly string[]>;
}

/** What a single value can be. */
export type ValueKind = Exclude<StoreValue["kind"], "Array" | "Null">;

export const idKinds = ["String", "Bytes", "Int8"] as const satisfies readonly ValueKind[];
export type IdKind = (typeof idKinds)[number];

/** A write that violates the schema, or a schema that cannot be run. */
export class SchemaError extends Error {}
