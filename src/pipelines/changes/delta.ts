import type { Rows } from "./rows.js";

/**
 * A change of a set of rows: the rows that are no longer in it, and the rows that are new. An update is in
 * both. What happens to a set of rows happens to every row alone, so a query that streams can be asked for
 * both halves separately.
 */
export interface Delta {
  readonly minus: Rows;
  readonly plus: Rows;
}

/** Whether nothing changes. */
export function isEmpty({ minus, plus }: Delta): boolean {
  return minus.count === 0 && plus.count === 0;
}
