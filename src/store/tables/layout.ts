import type { SqlFragment } from "../database/database.js";
import type { FieldCodec } from "./field-codecs.js";

/**
 * How a deployment's entities are stored in its database schema: graph-node's tables, name by name. Names are unquoted,
 * as in the database.
 */
export interface Layout {
  /** `sgd<n>`. */
  readonly namespace: string;
  /** In the order of the schema's types. An aggregation has a table for each interval. */
  readonly tables: readonly EntityTable[];
  /** The database's enum types, by their name in the GraphQL schema; labels sorted bytewise. */
  readonly enums: ReadonlyMap<string, EnumType>;
}

/** An enum type of the database. */
export interface EnumType {
  readonly name: string;
  readonly labels: readonly string[];
}

/** One table of versions. */
export interface EntityTable {
  readonly name: string;
  /** The entity type or aggregation in the GraphQL schema. */
  readonly type: string;
  /** Position of the type among the tables, as in the names of its indexes. */
  readonly position: number;
  /** Rows are written once and never end. See `versions-sql.ts` for the columns. */
  readonly immutable: boolean;
  /** Rows carry the causality region, because file data sources write the type. */
  readonly causalityRegion: boolean;
  /** The interval of an aggregation: `hour` or `day`. */
  readonly interval?: string;
  /** The stored fields in the order of the schema. */
  readonly columns: readonly EntityColumn[];
  /** The columns for full-text searches, after the other columns. */
  readonly fulltext: readonly FulltextColumn[];
  /** For a cumulative aggregation with dimensions: the names of the dimensions' columns. */
  readonly cumulated?: readonly string[];
}

/** A column of lexemes, computed from other columns when a row is written. */
export interface FulltextColumn {
  readonly name: string;
  /** The name of the search in the GraphQL schema. */
  readonly field: string;
  /** The database's text search configuration: `english`. */
  readonly configuration: string;
  readonly algorithm: "rank" | "proximityRank";
  /** The names of the searched columns, in the order of their lexemes. */
  readonly sources: readonly string[];
}

/** The column of a stored field. */
export interface EntityColumn {
  readonly name: string;
  readonly field: string;
  /** The type of a value or of a list's items: `text`, `bytea`, `numeric`, `"sgd1"."genre"`. Usable in a cast. */
  readonly sqlType: SqlFragment;
  readonly codec: FieldCodec;
  /** The GraphQL scalar. A reference has the scalar of its target's id, an enum its own name. */
  readonly scalar: string;
  readonly kind: "scalar" | "enum" | "reference";
  /** The entity type or interface that a reference points to. */
  readonly target?: string;
  readonly list: boolean;
  readonly nonNull: boolean;
}
