import type { StoreValue } from "./entity.js";

/** A schema as the store needs it: entity types by name, and the interfaces across which ids are unique. */
export interface EntitySchema {
  readonly types: ReadonlyMap<string, EntityType>;
  /** Names of the types that implement an interface, by its name. */
  readonly implementers: ReadonlyMap<string, readonly string[]>;
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
  readonly list: boolean;
  readonly nonNull: boolean;
  /** Of a derived field: the field of the target that refers back. Nothing is stored. */
  readonly derivedFrom?: string;
  /** The entity type or interface referred to. */
  readonly target?: string;
  /** Values of an enum. */
  readonly allowed?: ReadonlySet<string>;
}

/** Kinds of a single value. */
export type ValueKind = Exclude<StoreValue["kind"], "Array" | "Null">;

export const idKinds = ["String", "Bytes", "Int8"] as const satisfies readonly ValueKind[];
export type IdKind = (typeof idKinds)[number];

/** A write that violates the schema, or a schema that cannot be run. */
export class SchemaError extends Error {}
