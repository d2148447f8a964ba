/** A name in Flink's SQL. */
export function quotedName(name: string): string {
  return `\`${name.replaceAll("`", "``")}\``;
}

/** A text in Flink's SQL. Other characters than those of ASCII that are printed are escaped by their numbers. */
export function quotedText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return /^[\x20-\x7e]*$/.test(text) ? quoted : `U&${escaped(quoted)}`;
}

/** A secret as texts in statements may have it, so that messages which quote one can leave it out. */
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
