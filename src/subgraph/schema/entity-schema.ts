import type { StoreValue } from "./entity.js";

/** A schema as the store needs it: entity types by name, and the interfaces they share ids through. */
export interface EntitySchema {
  readonly types: ReadonlyMap<string, EntityType>;
  /** Names of the types that implement an interface, by its name. */
  readonly implementers: ReadonlyMap<string, readonly string[]>;
}

/** A type with `@entity`. */
export interface EntityType {
  readonly name: string;
  /** Its entities are written in one block and never again. */
  readonly immutable: boolean;
  /** Of an entity that is written again in a later block, the first version stays and nothing is said. */
  readonly skipDuplicates: boolean;
  /** Ids and timestamps are given by the host. Timeseries are immutable. */
  readonly timeseries: boolean;
  readonly idKind: IdKind;
  readonly fields: ReadonlyMap<string, Field>;
  /** Fields that are stored, sorted by name: all but the derived ones. */
  readonly stored: readonly Field[];
  /** Stored fields that must have a value. */
  readonly required: readonly Field[];
  /** Other types none of whose entities may have the id of one of this type, because they share an interface. */
  readonly rivals: readonly string[];
}

/** One field of an entity type. */
export interface Field {
  readonly name: string;
  /** As the schema writes it: `[Token!]!`. */
  readonly text: string;
  /** Of the value, or of a list's items; a reference has the kind of its target's id. */
  readonly kind: ValueKind;
  readonly list: boolean;
  readonly nonNull: boolean;
  /** The field of the target that this one is looked up by; nothing is stored then. */
  readonly derivedFrom?: string;
  /** The entity type or interface referred to. */
  readonly target?: string;
  /** What an enum allows. */
  readonly allowed?: ReadonlySet<string>;
}

/** What a single value can be. */
export type ValueKind = Exclude<StoreValue["kind"], "Array" | "Null">;

export const idKinds = ["String", "Bytes", "Int8"] as const satisfies readonly ValueKind[];
export type IdKind = (typeof idKinds)[number];

/** What a mapping did that the schema does not allow, or a schema that cannot be run. */
export class SchemaError extends Error {}
