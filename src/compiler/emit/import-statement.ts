/** Prints an import as prettier does: on one line, or one name per line if that is too long. */
export function importStatement(names: readonly string[], from: string): string {
  const sorted = names.toSorted((a, b) => (a < b ? -1 : 1));
  const line = `import { ${sorted.join(", ")} } from "${from}";`;
  if (line.length <= 80) return line;
  return `import {\n${sorted.map((name) => `  ${name},\n`).join("")}} from "${from}";`;
}
