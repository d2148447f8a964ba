import { SQL, type SqlFragment, uncheckedSql } from "./database.js";

/** A name as a statement has it, whatever the name is. */
export function quoteName(name: string): SqlFragment {
  return uncheckedSql(`"${name.replaceAll('"', '""')}"`);
}

/** A name in a schema as a statement has it. */
export function quoteNames(schema: string, name: string): SqlFragment {
  return SQL`${quoteName(schema)}.${quoteName(name)}`;
}

/** A text as a statement has it, where a parameter cannot be: in definitions. */
export function quoteText(text: string): SqlFragment {
  return uncheckedSql(`'${text.replaceAll("'", "''")}'`);
}
