import type {
  DirectiveDefinitionNode,
  EnumTypeDefinitionNode,
  InputObjectTypeDefinitionNode,
  TypeNode,
} from "graphql";

/** An entity schema as queries see it. */
export interface QueryModel {
  /** Entity types, aggregations and interfaces, by name, in the order of their first mention. */
  readonly types: ReadonlyMap<string, ModelType>;
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>;
  readonly inputs: readonly InputObjectTypeDefinitionNode[];
  readonly directives: readonly DirectiveDefinitionNode[];
  readonly fulltext: readonly ModelFulltext[];
}

/** What can be queried under one name. */
export interface ModelType {
  readonly name: string;
  readonly kind: "entity" | "aggregation" | "interface";
  readonly description: string | undefined;
  readonly fields: ReadonlyMap<string, ModelField>;
  readonly interfaces: readonly string[];
  /** The concrete types of it: those that implement an interface, a type itself. */
  readonly concrete: readonly string[];
  /** Of an aggregation. */
  readonly aggregation?: { readonly source: string; readonly intervals: readonly string[] };
}

/** One field. */
export interface ModelField {
  readonly name: string;
  readonly description: string | undefined;
  readonly type: TypeNode;
  /** Name of the type without lists and exclamation marks. */
  readonly base: string;
  readonly kind: "scalar" | "enum" | "reference";
  readonly list: boolean;
  readonly nonNull: boolean;
  /** The field of the target that refers back. */
  readonly derivedFrom?: string;
  readonly aggregate?: Aggregate;
  /** Arguments of its own, as the schema writes them. */
  readonly declaredArguments: readonly string[];
}

/** How a field of an aggregation is computed. */
export interface Aggregate {
  readonly fn: string;
  /** A field of the source, or an expression over its fields; nothing for a count. */
  readonly arg: string | undefined;
  readonly cumulative: boolean;
}

/** A search that `@fulltext` declares. */
export interface ModelFulltext {
  readonly name: string;
  readonly entity: string;
  readonly algorithm: string;
}
