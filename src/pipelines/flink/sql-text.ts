/** A name in Flink's SQL. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** A text as a literal in Flink's SQL. Characters other than printable ASCII are escaped by their numbers. */
export function quotedText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return /^[\x20-\x7e]*$/.test(text) ? quoted : `U&${escaped(quoted)}`;
}

/** The forms in which statements may contain a secret, so that messages which quote a statement can omit it. */
export function quotedForms(secret: string): readonly string[] {
  const doubled = secret.replaceAll("'", "''");
  return [secret, doubled, escaped(doubled)];
}

function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\\\")
    .replaceAll(/[^\x20-\x7e]/g, (unit) => `\\${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** A statement that sets an option of the session. */
export function setting(name: string, value: string): string {
  return `SET ${quotedText(name)} = ${quotedText(value)}`;
}

/** The options of a table, a line each. */
export function optionLines(options: readonly (readonly [name: string, value: string])[]): string {
  return options.map(([name, value]) => `  ${quotedText(name)} = ${quotedText(value)}`).join(",\n");
}
