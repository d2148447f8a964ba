import type { QueryLimits } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { SelectedField } from "./selection.js";

/**
 * Limits the rows that the lists in `Query` of a request ask for together. Lists inside of lists are hardly ever full, so the
 * size of the answer and the time of a statement limit them.
 * @throws QueryError if it asks for too many
 */
export function checkRows(fields: readonly SelectedField[], { rows }: Pick<QueryLimits, "rows">): void {
  const asked = fields.reduce((sum, field) => sum + most(field), 0);
  if (asked <= rows) return;
  throw new QueryError(
    `the lists of the query ask for ${asked} entities, and may ask for ${rows} together; use a smaller \`first\`, or split it into several queries`,
    { attestable: false },
  );
}

/** The most entities that a field reads itself. */
function most({ definition, args }: SelectedField): number {
  if (!definition.args.some(({ name }) => name === "first")) return 1;
  const first = args.get("first");
  // A value that no list may have is refused later.
  return first?.kind === "Int" ? Math.max(0, Number(first.value)) : 100;
}
