import { quoteName, quoteText } from "../database/quote.js";
import type { EntityTable } from "./layout.js";

/**
 * A version as a JSON object for a statement: its vid and its fields, by the names of the columns and in the
 * database's text form.
 * @param alias of the table in the statement
 */
export function rowJson({ columns }: EntityTable, alias: string): string {
  const names = ["vid", ...columns.map(({ name }) => name)];
  const keys = names.map(quoteText).join(", ");
  const values = names.map((name) => `${alias}.${quoteName(name)}::text`).join(", ");
  return `jsonb_object(array[${keys}], array[${values}])`;
}
