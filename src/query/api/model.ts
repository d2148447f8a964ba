import type {
  DirectiveDefinitionNode,
  EnumTypeDefinitionNode,
  InputObjectTypeDefinitionNode,
  TypeNode,
} from "graphql";

/** An entity schema in the form that queries use. */
export interface QueryModel {
  /** Entity types, aggregations and interfaces, by name, in the order of their first mention. */
  readonly types: ReadonlyMap<string, ModelType>;
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>;
  readonly inputs: readonly InputObjectTypeDefinitionNode[];
  readonly directives: readonly DirectiveDefinitionNode[];
  readonly fulltext: readonly ModelFulltext[];
}

/** A queryable type. */
export interface ModelType {
  readonly name: string;
  readonly kind: "entity" | "aggregation" | "interface";
  readonly description: string | undefined;
  readonly fields: ReadonlyMap<string, ModelField>;
  readonly interfaces: readonly string[];
  /** Its concrete types: the implementations of an interface, or the type itself. */
  readonly concrete: readonly string[];
  /** Only for an aggregation. */
  readonly aggregation?: { readonly source: string; readonly intervals: readonly string[] };
}

export interface ModelField {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: TypeNode;
  /** The name of the type without list and non-null markers. */
  readonly base: string;
  readonly kind: "scalar" | "enum" | "reference";
  readonly list: boolean;
  readonly nonNull: boolean;
  /** The field of the target that refers back to this type. */
  readonly derivedFrom?: string;
  readonly aggregate?: Aggregate;
  /** Its own arguments, as in the schema. */
  readonly declaredArguments: readonly string[];
}

/** How a field of an aggregation is computed. */
export interface Aggregate {
  readonly fn: string;
  /** A field of the source, or an expression over its fields; missing for a count. */
  readonly arg: string | undefined;
  readonly cumulative: boolean;
}

/** A full-text search declared with `@fulltext`. */
export interface ModelFulltext {
  readonly name: string;
  readonly entity: string;
  readonly algorithm: string;
}
