/** What the queries to a subgraph show of its schema. */
export interface PublicSchema {
  /** Entities, interfaces and aggregations, by name. */
  readonly types: ReadonlyMap<string, PublicType>;
  /** The values of enums, by their names. */
  readonly enums: ReadonlyMap<string, readonly string[]>;
  /** Names of the searches that `@fulltext` declares. */
  readonly searches: ReadonlySet<string>;
}

/** A type that queries ask for. */
export interface PublicType {
  readonly name: string;
  readonly kind: "entity" | "interface" | "aggregation";
  /** In the order of the schema. */
  readonly fields: ReadonlyMap<string, PublicField>;
  readonly interfaces: readonly string[];
  /** Whether entities never change; `undefined` when the schema is known from queries alone. */
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
  /** Whether it follows from a field of the other type, and is not stored. */
  readonly isDerived: boolean;
}

/** The base and the shape of a type as it is written: `[Token!]!` is a list of `Token`. */
export function shapeOfType(type: string): Pick<PublicField, "base" | "isList"> {
  return { base: type.replace(/[[\]!]/g, ""), isList: type.startsWith("[") };
}
