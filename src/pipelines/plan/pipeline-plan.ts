import type { LogDecoder } from "../../datasets/rows/decoded-rows.js";
import type { Rows } from "../changes/rows.js";
import type { RowColumn, RowSchema, ValueType } from "../changes/schema.js";
import type {
  DefinedLookup,
  SinkDefinition,
  SourceDefinition,
  TransformDefinition,
} from "../definition/definition.js";
import type { OverrideType } from "../definition/override-type.js";
import type { AggregateFunction } from "../definition/read-aggregates.js";
import type { EntitySourceColumn } from "../sources/entities/entity-columns.js";
import type { EntityPart } from "../sources/entities/entity-source.js";

/** A source or transform with known columns. */
export interface PlannedNode<D extends SourceDefinition | TransformDefinition> {
  readonly name: string;
  readonly definition: D;
  readonly schema: RowSchema;
}

/** A source with known columns. */
export interface PlannedSource extends PlannedNode<SourceDefinition> {
  /** The entity that it reads, if it reads one. */
  readonly entity?: PlannedEntity;
  /** Decodes logs, for `decoded_logs`. */
  readonly decoder?: LogDecoder | undefined;
  /**
   * The only contracts whose rows pass its filter, so that others need not be read; `undefined` if the filter does
   * not limit them.
   */
  readonly addresses?: readonly string[] | undefined;
  /** The dynamic tables in which its filter looks values up; none if absent. */
  readonly lookups?: readonly string[];
  /**
   * Whether a row replaces the earlier one with its key, which the source does not know any more. Its deltas hold the keys
   * of all rows that change as deleted rows, with null in all other columns.
   */
  readonly replaces?: boolean;
}

/** An entity in the database of its subgraphs. */
export interface PlannedEntity {
  /** One for each subgraph. */
  readonly parts: readonly EntityPart[];
  /** The columns of the source, and how each is read. */
  readonly columns: readonly EntitySourceColumn[];
}

export interface PlannedTransform extends PlannedNode<TransformDefinition> {
  /** Names of sources and transforms. */
  readonly reads: readonly string[];
  /** The columns of the rows that arrive; `undefined` for SQL, which reads tables. */
  readonly input?: readonly RowColumn[];
  /**
   * For SQL: the functions of ours that it calls, why a change of one row cannot be followed through it, and whether it
   * orders its rows.
   */
  readonly query?: {
    readonly functions: readonly string[];
    readonly stateful: string | undefined;
    readonly isOrdered: boolean;
    /** The query as DuckDB serializes it. */
    readonly tree: unknown;
  };
  /** The dynamic tables in which its query looks values up; none if absent. */
  readonly lookups?: readonly string[];
  /** The lookups with which its query joins; none if absent. */
  readonly joins?: readonly string[];
}

/** A table in which queries look rows up by joining it. */
export interface PlannedLookup {
  readonly name: string;
  readonly definition: DefinedLookup;
  /** The columns by which rows are found. */
  readonly key: readonly string[];
  readonly columns: readonly RowColumn[];
  /** The rows of a file; `undefined` for a table in a database, which may change. */
  readonly rows: Rows | undefined;
}

/** A column to group by. */
export interface PlannedGroup {
  readonly name: string;
  readonly type: ValueType;
  /** The type of the column in the database, if the definition chooses it. */
  readonly chosen?: OverrideType;
}

/** A column that is computed of the rows of each group. */
export interface PlannedAggregate {
  readonly name: string;
  readonly fn: AggregateFunction;
  /** The aggregated column; `undefined` for a count of rows. */
  readonly of: RowColumn | undefined;
  readonly chosen?: OverrideType;
}

/** The columns of a table of aggregates. */
export interface PlannedAggregation {
  readonly groups: readonly PlannedGroup[];
  readonly aggregates: readonly PlannedAggregate[];
}

/** A table that queries look values up in. */
export interface PlannedTable {
  readonly name: string;
  readonly definition: Extract<TransformDefinition, { readonly type: "dynamic_table" }>;
  /** The query that fills it; absent if only others fill the table. */
  readonly fill?: TableFill;
  /** The columns by which joins look rows up; absent if it only has values. */
  readonly key?: readonly string[];
}

/** The query that fills a table. */
export interface TableFill {
  /** As a transform with the name of the table, and one column unless the table has a key. */
  readonly query: PlannedTransform;
  /** The only source that leads to it. */
  readonly source: PlannedSource;
}

export interface PlannedSink {
  readonly name: string;
  readonly definition: SinkDefinition;
  /** The source or transform that it reads. */
  readonly from: string;
  /** The columns that arrive, and the key by which they are written. */
  readonly schema: RowSchema;
  /** Whether a query before it needs all rows at once, so that it is computed once, after all sources have ended. */
  readonly isWhole?: boolean;
  /** For a sink that aggregates. */
  readonly aggregation?: PlannedAggregation;
  /** The sink that gets the rows which this one refuses, if there is one. */
  readonly deadLetters?: PlannedSink;
  /** The limit for 256-bit integers that the sink's readers require; none if absent. */
  readonly integerLimit?: IntegerLimit;
}

/** How many digits an integer may have, and why. */
export interface IntegerLimit {
  /** The columns with this limit. */
  readonly columns: readonly string[];
  readonly digits: number;
  /** Why, as a sentence without its full stop. */
  readonly why: string;
  /** What to do about a larger one, as a sentence without its final period. */
  readonly advice: string;
}

/** A definition that is sound: all names are resolved, and all columns are known. */
export interface PipelinePlan {
  readonly name: string;
  readonly job: boolean;
  readonly sources: readonly PlannedSource[];
  /** Sources whose subgraphs could not be looked up. Their dependents are left out, so the pipeline cannot run. */
  readonly unread?: readonly string[];
  /** In order of dependencies. */
  readonly transforms: readonly PlannedTransform[];
  /** Tables that queries look values up in; none if absent. */
  readonly tables?: readonly PlannedTable[];
  /** Tables with which queries join; none if absent. */
  readonly lookups?: readonly PlannedLookup[];
  readonly sinks: readonly PlannedSink[];
  /** Columns in which queries expect the operation, under the names that they use, such as `_ab_op`. */
  readonly operations: readonly string[];
  /** Our functions that queries call, by the names that they use. */
  readonly functions: readonly string[];
}
