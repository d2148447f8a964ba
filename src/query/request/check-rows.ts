import type { QueryLimits } from "../limits.js";
import { QueryError } from "../query-error.js";
import type { SelectedField } from "./selection.js";

/**
 * Limits the rows that a request asks for: those of the lists in `Query`, and all of them together with the lists inside
 * of lists, as if every list were full. Few lists inside of lists are, so their limit is far higher.
 * @throws QueryError if it asks for too many
 */
export function checkRows(
  fields: readonly SelectedField[],
  { rows, nestedRows }: Pick<QueryLimits, "rows" | "nestedRows">,
): void {
  const outer = fields.reduce((sum, field) => sum + most(field), 0);
  if (outer > rows)
    throw tooMany(`the lists of the query ask for ${outer} entities, and may ask for ${rows} together`);
  const known = new Map<NonNullable<SelectedField["selection"]>, number>();
  const all = fields.reduce((sum, field) => sum + withNested(field, known), 0);
  if (all > nestedRows)
    throw tooMany(
      `the query may return more than ${nestedRows} entities, if all of its lists inside of lists are full`,
    );
}

function tooMany(what: string): QueryError {
  return new QueryError(`${what}; use a smaller \`first\`, or split it into several queries`, {
    attestable: false,
  });
}

/** The most entities that a field reads itself. */
function most({ definition, args }: SelectedField): number {
  if (!definition.args.some(({ name }) => name === "first")) return 1;
  const first = args.get("first");
  // A value that no list may have is refused later.
  return first?.kind === "Int" ? Math.max(0, Number(first.value)) : 100;
}

/** @param known counts of selections, which several fields may share */
function withNested(
  field: SelectedField,
  known: Map<NonNullable<SelectedField["selection"]>, number>,
): number {
  const { selection } = field;
  if (!selection) return 0;
  const below =
    known.get(selection) ??
    // An entity is of one of the types.
    Math.max(
      0,
      ...selection.types.map((type) =>
        selection.fieldsOf(type).reduce((sum, one) => sum + withNested(one, known), 0),
      ),
    );
  known.set(selection, below);
  return most(field) * (1 + below);
}
