import type { FlowValue, Rows } from "../../../src/pipelines/changes/rows.js";
import type { FlowColumn } from "../../../src/pipelines/changes/schema.js";

/** Rows from objects; columns that an object does not have are null. */
export function rowsOf(
  columns: readonly FlowColumn[],
  objects: readonly Readonly<Record<string, FlowValue>>[],
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
  columns: readonly FlowColumn[],
  rows: Rows,
): readonly Readonly<Record<string, FlowValue>>[] {
  return Array.from({ length: rows.count }, (_, row) =>
    Object.fromEntries(columns.map(({ name }, column) => [name, rows.columns[column]?.[row] ?? null])),
  );
}
