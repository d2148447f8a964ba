import type { Rows, RowValue } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";

/** Rows from objects; columns that an object does not have are null. */
export function rowsOf(
  columns: readonly RowColumn[],
  objects: readonly Readonly<Record<string, RowValue>>[],
): Rows {
  return {
    count: objects.length,
    columns: columns.map(({ name }) =>
      objects.map((object) => (Object.hasOwn(object, name) ? object[name] : undefined) ?? null),
    ),
  };
}

/** Rows as objects. */
export function objectsOf(
  columns: readonly RowColumn[],
  rows: Rows,
): readonly Readonly<Record<string, RowValue>>[] {
  return Array.from({ length: rows.count }, (_, row) =>
    Object.fromEntries(columns.map(({ name }, column) => [name, rows.columns[column]?.[row] ?? null])),
  );
}
