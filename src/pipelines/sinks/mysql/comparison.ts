import { joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";

/** The tables to compare, as SQL. A MySQL statement may name each temporary table only once. */
export interface ComparedTables {
  readonly stored: SqlFragment;
  /** The expected rows, a table for each source. */
  readonly expected: readonly SqlFragment[];
  readonly differences: SqlFragment;
}

/** Joins conditions with `and`. */
export function and(conditions: readonly SqlFragment[]): SqlFragment {
  return joinFragments(conditions, SQL` and `);
}

/** Whether two values are equal byte by byte, or both null. */
export function sameValue(one: SqlFragment, other: SqlFragment): SqlFragment {
  return SQL`cast(${one} as binary) <=> cast(${other} as binary)`;
}
