import { SQL, type SqlFragment, uncheckedSql } from "./database.js";

/** Quotes any name for a statement. */
export function quoteName(name: string): SqlFragment {
  return uncheckedSql(`"${name.replaceAll('"', '""')}"`);
}

/** Quotes a name with its schema for a statement. */
export function quoteNames(schema: string, name: string): SqlFragment {
  return SQL`${quoteName(schema)}.${quoteName(name)}`;
}

/** Quotes a string for a definition, where parameters are not allowed. */
export function quoteText(text: string): SqlFragment {
  return uncheckedSql(`'${text.replaceAll("'", "''")}'`);
}
