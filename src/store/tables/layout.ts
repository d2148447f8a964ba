import type { SqlFragment } from "../database/database.js";
import type { FieldCodec } from "./field-codecs.js";

/**
 * How the entities of a deployment lie in its schema of the database: graph-node's tables, name by name. Names are as
 * the database knows them, not quoted.
 */
export interface Layout {
  /** `sgd<n>`. */
  readonly namespace: string;
  /** In the order of the types in the schema; an aggregation has a table for each interval. */
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
  /** Rows are written once, and never end; see `versions-sql.ts` for the columns that tell of it. */
  readonly immutable: boolean;
  /** Rows carry the causality region: the type is written by data sources of files. */
  readonly causalityRegion: boolean;
  /** Of an aggregation: `hour` or `day`. */
  readonly interval?: string;
  /** The stored fields in the order of the schema. */
  readonly columns: readonly EntityColumn[];
  /** What full text searches look into, after the other columns. */
  readonly fulltext: readonly FulltextColumn[];
  /** Of an aggregation that has dimensions and cumulates: the names of the dimensions' columns. */
  readonly cumulated?: readonly string[];
}

/** A column of lexemes, made of other columns whenever a row is written. */
export interface FulltextColumn {
  readonly name: string;
  /** The name of the search in the GraphQL schema. */
  readonly field: string;
  /** The database's text search configuration: `english`. */
  readonly configuration: string;
  readonly algorithm: "rank" | "proximityRank";
  /** The names of the columns that are searched, in the order of their lexemes. */
  readonly sources: readonly string[];
}

/** The column of a stored field. */
export interface EntityColumn {
  readonly name: string;
  readonly field: string;
  /** Of a value, or of a list's items: `text`, `bytea`, `numeric`, `"sgd1"."genre"`. Ready for a cast. */
  readonly sqlType: SqlFragment;
  readonly codec: FieldCodec;
  /** The scalar of the GraphQL schema; a reference has that of its target's id, an enum its name. */
  readonly scalar: string;
  readonly kind: "scalar" | "enum" | "reference";
  /** Of a reference: the entity type or interface. */
  readonly target?: string;
  readonly list: boolean;
  readonly nonNull: boolean;
}
