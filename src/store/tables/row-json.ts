import { SQL, type SqlFragment } from "../database/database.js";
import { quoteName, quoteText } from "../database/quote.js";
import type { EntityTable } from "./layout.js";

/**
 * A version as a JSON object for a statement: its vid and its fields, by the names of the columns and in the
 * database's text form.
 * @param alias of the table in the statement
 */
export function rowJson({ columns }: EntityTable, alias: SqlFragment): SqlFragment {
  const names = ["vid", ...columns.map(({ name }) => name)];
  const keys = SQL`${names.map(quoteText)}`;
  const values = SQL`${names.map((name) => SQL`${alias}.${quoteName(name)}::text`)}`;
  return SQL`jsonb_object(array[${keys}], array[${values}])`;
}
