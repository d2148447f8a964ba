/** Formats `label: a, b, c`, wrapped to a width; continuation lines are indented by two spaces. */
export function nameList(label: string, names: readonly string[], width: number): string {
  const blanks = /^ */.exec(label)?.[0] ?? "";
  const lines: string[] = [];
  let line = `${label}:`;
  for (const [index, name] of names.entries()) {
    const word = ` ${name}${index === names.length - 1 ? "" : ","}`;
    if (line.length + word.length > width) {
      lines.push(line);
      line = `${blanks} ${word}`;
    } else line += word;
  }
  return [...lines, line].map((text) => `${text}\n`).join("");
}
