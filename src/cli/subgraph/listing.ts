import { cellsOf } from "../../base/text/visible.js";
import { padded, widthOf } from "../terminal/cells.js";
import type { Terminal } from "../terminal/terminal.js";

const gap = "  ";

/** A column of a listing: its heading, and the text of a row's cell. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  /** Whether it is shortened when the table is too wide; the widest such column first. */
  readonly mayShrink?: boolean;
}

const narrowest = 12;

/** Width limit of a table on standard output; output to a file or a program is not shortened. */
export function tableWidth({ outColor, columns = 80 }: Pick<Terminal, "outColor" | "columns">): number {
  return outColor === true ? columns : Number.POSITIVE_INFINITY;
}

/**
 * Formats rows as a table with headings. Control characters in foreign text are escaped.
 * @param width columns of the terminal; in a wider table, columns that may shrink are shortened
 */
export function listing<Row>(columns: readonly Column<Row>[], rows: readonly Row[], width: number): string {
  const texts = columns.map(({ title, cell }) => [title, ...rows.map((row) => visibleCells(cell(row)))]);
  const widths = texts.map((cells) => Math.max(...cells.map(widthOf)));
  shrink(columns, widths, width);
  const lines = ["", ...rows].map((_, line) =>
    texts.map((cells, column) => fitted(cells[line] ?? "", widths[column] ?? 0)).join(gap),
  );
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function shrink<Row>(columns: readonly Column<Row>[], widths: number[], width: number): void {
  const total = (): number => widths.reduce((sum, each) => sum + each, 0) + gap.length * (widths.length - 1);
  for (let over = total() - width; over > 0; over = total() - width) {
    let widest = -1;
    for (const [index, { mayShrink }] of columns.entries()) {
      const current = widths[index] ?? 0;
      if (mayShrink && current > narrowest && current > (widths[widest] ?? 0)) widest = index;
    }
    if (widest < 0) return;
    widths[widest] = Math.max(narrowest, (widths[widest] ?? 0) - over);
  }
}

function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return padded(text, width);
  let used = 0;
  const kept: string[] = [];
  for (const cell of cellsOf(text, 0, text.length)) {
    if (used + cell.width > width - 1) break;
    used += cell.width;
    kept.push(cell.text);
  }
  return padded(`${kept.join("")}…`, width);
}

function visibleCells(text: string): string {
  return cellsOf(text, 0, text.length)
    .map((cell) => cell.text)
    .join("");
}
