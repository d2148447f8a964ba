import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import type { RowDifferences } from "../audit.js";

/** How the rows of a table are compared with those in the tables of what is expected. */
export interface Comparison {
  /** Fills the table of differences, which is a new one. @param isWhole whether other rows are foreign */
  compare(isWhole: boolean): Promise<void>;
  /** What the table of differences has. */
  found(): Promise<RowDifferences>;
  /** Makes the rows what they should be. */
  mend(): Promise<void>;
}

/** What is compared, in SQL. A statement of MySQL may name each of the temporary tables once. */
export interface ComparedTables {
  readonly stored: SqlFragment;
  /** Of each source: what its rows should be. */
  readonly expected: readonly SqlFragment[];
  readonly differences: SqlFragment;
}

/** Joins conditions that all must hold. */
export function and(conditions: readonly SqlFragment[]): SqlFragment {
  return joinFragments(conditions, SQL` and `);
}

/** Whether a value is the same to the last byte, or null in both. */
export function sameValue(one: SqlFragment, other: SqlFragment): SqlFragment {
  return SQL`cast(${one} as binary) <=> cast(${other} as binary)`;
}
