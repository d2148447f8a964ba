import { SQL, type SqlFragment } from "../database/database.js";
import { quoteName, quoteText } from "../database/quote.js";
import type { EntityTable } from "./layout.js";

/**
 * SQL for a version as a JSON object: its vid and fields, by column name and in the database's text form.
 * @param alias the table's alias in the statement
 */
export function rowJson({ columns }: EntityTable, alias: SqlFragment): SqlFragment {
  const names = ["vid", ...columns.map(({ name }) => name)];
  const keys = SQL`${names.map(quoteText)}`;
  const values = SQL`${names.map((name) => SQL`${alias}.${quoteName(name)}::text`)}`;
  return SQL`jsonb_object(array[${keys}], array[${values}])`;
}
