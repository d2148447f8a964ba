import { arrayText } from "../../store/database/sql-array.js";

/** The rows of a statement as one array for each column. */
export function listsOf<R extends object>(
  rows: readonly R[],
  fields: readonly (keyof R)[],
): readonly string[] {
  return fields.map((field) =>
    arrayText(rows.map((row) => (row[field] === null ? null : String(row[field])))),
  );
}
