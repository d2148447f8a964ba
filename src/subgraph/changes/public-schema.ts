/** The part of a subgraph's schema that is visible to queries. */
export interface PublicSchema {
  /** Entities, interfaces and aggregations, by name. */
  readonly types: ReadonlyMap<string, PublicType>;
  /** The values of enums, by enum name. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
  /** Names of the searches that `@fulltext` declares. */
  readonly searches: ReadonlySet<string>;
}

/** A type that queries can select. */
export interface PublicType {
  readonly name: string;
  readonly kind: "entity" | "interface" | "aggregation";
  /** In the order of the schema. */
  readonly fields: ReadonlyMap<string, PublicField>;
  readonly interfaces: readonly string[];
  /** Whether entities never change; `undefined` if the schema is known only from queries. */
  readonly immutable?: boolean | undefined;
}

/** A field of such a type. */
export interface PublicField {
  readonly name: string;
  /** As written in the schema: `[Token!]!`. */
  readonly type: string;
  /** The type without lists and exclamation marks: `Token`. */
  readonly base: string;
  readonly isList: boolean;
  /** Whether it is derived from a field of the other type, and so not stored. */
  readonly isDerived: boolean;
}

/** The base and shape of a type as written: `[Token!]!` is a list of `Token`. */
export function shapeOfType(type: string): Pick<PublicField, "base" | "isList"> {
  return { base: type.replace(/[[\]!]/g, ""), isList: type.startsWith("[") };
}
