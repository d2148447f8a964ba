/** The allowed imports of each folder or file, by its name. */
export type Rules = Readonly<Record<string, readonly string[]>>;

/** The rules of a README, from the table whose last column is "may import". "nothing" stands for no import. */
export function rulesInReadme(markdown: string): Rules {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => /\|\s*may import\s*\|\s*$/.test(line));
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith("|"));
  return Object.fromEntries(
    rows.slice(0, end < 0 ? rows.length : end).map((row) => {
      const cells = row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("`", ""));
      const may = cells.at(-1) ?? "";
      return [cells[0] as string, may === "nothing" ? [] : may.split(", ")];
    }),
  );
}
