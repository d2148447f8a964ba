import type { Rows } from "./rows.js";

/**
 * A change of a set of rows: the rows that are no longer in it, and the rows that are new. An update is in both.
 * Streaming queries treat each row separately, so both halves can be computed separately.
 */
export interface Delta {
  readonly minus: Rows;
  readonly plus: Rows;
}

/** Whether nothing changes. */
export function isEmpty({ minus, plus }: Delta): boolean {
  return minus.count === 0 && plus.count === 0;
}
