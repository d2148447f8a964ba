import { invariant } from "../../../base/invariant.js";
import type { Changes } from "../../changes/net-changes.js";
import { joinRows, noRows, pickRows, type Rows } from "../../changes/rows.js";

/** The rows that changes replace or delete, as they were. */
export function replacedRows({ schema, operations, rows, replaced }: Changes): Rows {
  const updates = operations.filter((operation) => operation === "u").length;
  const { length: width } = schema.columns;
  const before = replaced ?? noRows(width);
  invariant(before.count === updates, "what updates replace is known");
  // Deletions come first.
  let deleted = 0;
  while (operations[deleted] === "d") deleted += 1;
  if (deleted === 0) return before;
  const gone = pickRows(rows, [...Array(deleted).keys()]);
  return joinRows([gone, before], width);
}
