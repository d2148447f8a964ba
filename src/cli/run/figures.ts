import { padded, widthOf } from "../terminal/cells.js";

/** `12 s`, `3 min`, `5.2 h` */
export function duration(seconds: number): string {
  if (seconds < 100) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** Lines of a table: the first column and one under the title SOURCE are texts, all others are numbers. */
export function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const titles = rows[0] ?? [];
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const isText = titles.map((title, column) => column === 0 || title === "SOURCE");
  return rows.map((row) =>
    `  ${row.map((cell, column) => padded(cell, widths[column] ?? 0, isText[column] ? "left" : "right")).join("  ")}`.trimEnd(),
  );
}
