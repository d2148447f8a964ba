import { cellsOf } from "../../base/visible.js";

/** Columns that a text takes on a terminal. */
export function widthOf(text: string): number {
  return cellsOf(text, 0, text.length).reduce((sum, { width }) => sum + width, 0);
}

/** A text with blanks that make it as wide as a column, behind it or, for numbers, before it. */
export function padded(text: string, width: number, side: "left" | "right" = "left"): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "left" ? text + blanks : blanks + text;
}
