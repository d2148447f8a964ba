import { cellsOf } from "../../base/text/visible.js";

/** The width of a text on a terminal, in columns. */
export function widthOf(text: string): number {
  return cellsOf(text, 0, text.length).reduce((sum, { width }) => sum + width, 0);
}

/** Pads a text with blanks to a width, on the right or, for numbers, on the left. */
export function padded(text: string, width: number, side: "left" | "right" = "left"): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return side === "left" ? text + blanks : blanks + text;
}
