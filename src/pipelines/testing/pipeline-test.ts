import type { Location } from "../../compiler/source/source.js";
import type { Rows } from "../changes/rows.js";
import type { PlannedSource, PlannedTransform } from "../plan/pipeline-plan.js";

/** A test in a definition: rows of sources, and the expected rows. */
export interface PipelineTest {
  readonly name: string;
  readonly at: Location;
  readonly given: readonly { readonly source: string; readonly rows: Rows }[];
  readonly expected: readonly Expectation[];
}

/** The rows that a node must compute from the given rows. */
export interface Expectation {
  readonly node: PlannedSource | PlannedTransform;
  readonly rows: readonly ExpectedRow[];
}

/** An expected row of a test: only the columns that it names are compared. */
export interface ExpectedRow {
  /** Indexes of columns of the node. */
  readonly columns: readonly number[];
  /** A single row with all columns of the node; unnamed ones are null. */
  readonly values: Rows;
}
