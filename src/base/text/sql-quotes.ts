/** A name in double quotes. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text as a literal. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
