/** A name in Flink's SQL. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** A text in Flink's SQL. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A statement that sets an option of the session. */
export function setting(name: string, value: string): string {
  return `SET ${quotedText(name)} = ${quotedText(value)}`;
}

/** The options of a table, a line each. */
export function optionLines(options: readonly (readonly [name: string, value: string])[]): string {
  return options.map(([name, value]) => `  ${quotedText(name)} = ${quotedText(value)}`).join(",\n");
}
