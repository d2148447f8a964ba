import type { QueryLimits } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { SelectedField } from "./selection.js";

/**
 * Judges how many lists and references a request reads: each is work for the database, however little comes back.
 * @throws QueryError when there are too many
 */
export function checkBreadth(
  fields: readonly SelectedField[],
  { lists, joins }: Pick<QueryLimits, "lists" | "joins">,
): void {
  let all = 0;
  for (const field of fields) {
    const below = joinsBelow(field);
    if (below > joins) throw tooMany(`\`${field.key}\` reads more than ${joins} lists and references`);
    all += below + 1;
  }
  if (all > lists) throw tooMany(`the query reads more than ${lists} lists and references`);
}

function tooMany(what: string): QueryError {
  return new QueryError(`${what}; split it into several queries`, { attestable: false });
}

function joinsBelow({ selection }: SelectedField): number {
  const fields = selection?.types.flatMap((type) => selection.fieldsOf(type)) ?? [];
  return fields.filter((field) => field.selection).reduce((sum, field) => sum + 1 + joinsBelow(field), 0);
}
