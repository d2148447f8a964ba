/** A value of a column. */
export type RowValue = string | bigint | number | boolean | readonly string[] | null;

/** Rows by column: `columns[c][r]` is the value of row `r` in column `c`. */
export interface Rows {
  readonly count: number;
  readonly columns: readonly (readonly RowValue[])[];
}

/** A row of a table that is looked up, until there is a next version. */
export interface RowVersion {
  /** The block from which on it counts; 0 if always. */
  readonly since: number;
  readonly values: readonly RowValue[];
}

/** No rows. */
export function noRows(width: number): Rows {
  return { count: 0, columns: Array.from({ length: width }, () => []) };
}

/** Some of the rows, in the given order. */
export function pickRows(rows: Rows, indexes: readonly number[]): Rows {
  return {
    count: indexes.length,
    columns: rows.columns.map((column) => indexes.map((index) => column[index] as RowValue)),
  };
}

/** Rows of several batches, one by one. */
export function joinRows(parts: readonly Rows[], width: number): Rows {
  const [first = noRows(width), ...others] = parts;
  if (parts.length <= 1) return first;
  return {
    count: parts.reduce((sum, { count }) => sum + count, 0),
    columns: first.columns.map((values, column) =>
      values.concat(...others.map(({ columns }) => columns[column] ?? [])),
    ),
  };
}

/**
 * A text that is equal for equal values of some columns, and for no others.
 * @param indexes which columns
 */
export function textOfRow(rows: Rows, row: number, indexes: readonly number[]): string {
  let text = "";
  for (const index of indexes) text += `${textOfValue(rows.columns[index]?.[row] ?? null)};`;
  return text;
}

/** Lengths go first, so that no value can look like the end of another one. */
function textOfValue(value: RowValue): string {
  switch (typeof value) {
    case "string":
      return `s${value.length}:${value}`;
    case "bigint":
      return `i${value}`;
    case "number":
      return Object.is(value, -0) ? "n0" : `n${value}`;
    case "boolean":
      return value ? "t" : "f";
    default:
      if (value === null) return "-";
      return `a${value.length}[${value.map(textOfValue).join("")}]`;
  }
}
