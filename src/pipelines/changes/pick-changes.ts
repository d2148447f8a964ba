import type { Changes } from "./net-changes.js";
import { pickRows } from "./rows.js";

/** Some of the changes. @param indexes in ascending order */
export function pickChanges(changes: Changes, indexes: readonly number[]): Changes {
  const { operations, rows, replaced } = changes;
  return {
    ...changes,
    operations: indexes.map((index) => operations[index] ?? "i"),
    rows: pickRows(rows, indexes),
    ...(replaced && {
      replaced: pickRows(
        replaced,
        replacedIndexes(changes, indexes).filter((index) => index !== undefined),
      ),
    }),
  };
}

/**
 * Finds the rows that changes replace.
 * @returns for each change, an index of `replaced`; `undefined` if it replaces no row
 */
export function replacedIndexes(
  { operations }: Pick<Changes, "operations">,
  indexes: readonly number[],
): readonly (number | undefined)[] {
  let updates = 0;
  const places = operations.map((operation) => (operation === "u" ? updates++ : undefined));
  return indexes.map((index) => places[index]);
}

/** The changes from one index on until before another one. */
export function sliceChanges(changes: Changes, start: number, end: number): Changes {
  if (start === 0 && end === changes.rows.count) return changes;
  return pickChanges(
    changes,
    Array.from({ length: end - start }, (_, index) => start + index),
  );
}
