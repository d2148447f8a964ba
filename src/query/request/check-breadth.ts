import type { QueryLimits } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { SelectedField } from "./selection.js";

/**
 * Limits how many lists and references a request reads. Each is work for the database, however little it returns.
 * @throws QueryError if there are too many
 */
export function checkBreadth(
  fields: readonly SelectedField[],
  { lists, joins }: Pick<QueryLimits, "lists" | "joins">,
): void {
  let all = 0;
  for (const field of fields) {
    const left = { joins };
    countBelow(field, left);
    if (left.joins < 0) throw tooMany(`\`${field.key}\` reads more than ${joins} lists and references`);
    all += joins - left.joins + 1;
  }
  if (all > lists) throw tooMany(`the query reads more than ${lists} lists and references`);
}

function tooMany(what: string): QueryError {
  return new QueryError(`${what}; split it into several queries`, { attestable: false });
}

/** Counts until there are too many. Fields below an interface count for each of its types. */
function countBelow({ selection }: SelectedField, left: { joins: number }): void {
  for (const type of selection?.types ?? []) {
    for (const field of selection?.fieldsOf(type) ?? []) {
      if (!field.selection || left.joins < 0) continue;
      left.joins -= 1;
      countBelow(field, left);
    }
  }
}
