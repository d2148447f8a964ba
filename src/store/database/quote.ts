/** A name as a statement has it, whatever the name is. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name in a schema as a statement has it. */
export function quoteNames(schema: string, name: string): string {
  return `${quoteName(schema)}.${quoteName(name)}`;
}

/** A text as a statement has it, where a parameter cannot be: in definitions. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
