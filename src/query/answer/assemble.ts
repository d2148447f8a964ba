import type { ApiSchema } from "../api/api-schema.js";
import type { RootPlan } from "../plan/root-sql.js";
import { type BranchPlan, type Cell, type RowsPlan, rowValues } from "../plan/rows-plan.js";
import { QueryError } from "../query-error.js";
import { answerObject, nullFor } from "./plain-value.js";

/** A raw row: the number of its branch, then its values. */
export type JsonRow = readonly unknown[];

/**
 * Collects the errors of the selected child fields, but only where there are parents.
 * @returns in graph-node's order, which finishes each field before the next
 */
export function readFailures(
  { branches, failures }: RowsPlan,
  rows: readonly JsonRow[],
): readonly QueryError[] {
  if (failures.length > 0) return failures;
  return branches.flatMap((branch, number) => {
    if (!hasFailures(branch)) return [];
    const own = rows.filter((row) => row[0] === number).map((row) => valuesOf(branch, row));
    if (own.length === 0) return [];
    return branch.cells.flatMap((cell) =>
      cell.kind === "below"
        ? readFailures(
            cell.rows,
            own.flatMap((values) => rowsIn(values[cell.index])),
          )
        : [],
    );
  });
}

function hasFailures({ cells }: BranchPlan): boolean {
  return cells.some(
    (cell) =>
      cell.kind === "below" && (cell.rows.failures.length > 0 || cell.rows.branches.some(hasFailures)),
  );
}

/** Assembles the answer to a field of `Query`. @param errors receives the errors found */
export function rootValue(
  { root, rows }: RootPlan,
  found: readonly JsonRow[],
  api: ApiSchema,
  errors: QueryError[],
): unknown {
  const objects = found.map((row) => entityValue(rows, row, api, errors));
  return root.kind === "one" ? (objects[0] ?? null) : objects;
}

function entityValue(
  { branches }: RowsPlan,
  row: JsonRow,
  api: ApiSchema,
  errors: QueryError[],
): Record<string, unknown> {
  const answer = answerObject();
  const branch = branches[Number(row[0])];
  if (!branch) return answer;
  const values = valuesOf(branch, row);
  for (const cell of branch.cells) answer[cell.field.key] = cellValue(cell, branch.type, values, api, errors);
  return answer;
}

function valuesOf({ values }: BranchPlan, row: JsonRow): readonly unknown[] {
  return rowValues(row, values);
}

function cellValue(
  cell: Cell,
  type: string,
  values: readonly unknown[],
  api: ApiSchema,
  errors: QueryError[],
): unknown {
  if (cell.kind === "typename") return type;
  const { field, model } = cell;
  const value =
    cell.kind === "leaf"
      ? cell.codec.answered(values[cell.index])
      : belowValue(cell, rowsIn(values[cell.index]), api, errors);
  if (value === undefined) return null;
  if (value === null && model.nonNull) errors.push(nullFor(field));
  return value;
}

/** `undefined` if the error has been reported. */
function belowValue(
  { field, model, rows }: Extract<Cell, { kind: "below" }>,
  found: readonly JsonRow[],
  api: ApiSchema,
  errors: QueryError[],
): unknown {
  if (model.list) return found.map((row) => entityValue(rows, row, api, errors));
  const [row, other] = found;
  if (other) {
    errors.push(
      new QueryError(
        `Ambiguous result for derived field \`${field.name}\`: Multiple \`${model.base}\` entities refer back ` +
          `via \`${model.derivedFrom ?? "id"}\``,
        { position: field.position, attestable: false },
      ),
    );
    return undefined;
  }
  return row ? entityValue(rows, row, api, errors) : null;
}

function rowsIn(value: unknown): readonly JsonRow[] {
  return Array.isArray(value) ? value : [];
}
