import { cellsOf } from "../../base/text/visible.js";

/** Characters that XML does not allow even as references. */
const forbidden = /[\ufffe\uffff]/g;
const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes an untrusted text for XML content and attributes. Control characters become visible escapes. */
export function escaped(text: string): string {
  const seen = cellsOf(text, 0, text.length)
    .map((cell) => cell.text)
    .join("");
  return seen
    .replaceAll(forbidden, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replaceAll(/[&<>"']/g, (character) => references[character] ?? "");
}

/** A text broken into lines of limited width. */
export interface WrappedText {
  readonly lines: readonly string[];
  /** Whether the text was too long; the last line then ends in `…`. */
  readonly isCut: boolean;
  /** The width of the widest line, in characters. */
  readonly width: number;
}

/** Breaks a text into lines, after commas, spaces and opening parentheses if there are any. */
export function wrapped(text: string, width: number, mostLines: number): WrappedText {
  const pieces = text.slice(0, width * mostLines + 1).match(/[^ ,(]*[ ,(]?/g) ?? [];
  const lines: string[] = [];
  let line = "";
  for (const piece of pieces) {
    if (columnsOf(line + piece) > width && line !== "") {
      lines.push(line);
      line = "";
    }
    const parts = cutEvery(piece, width);
    lines.push(...parts.slice(0, -1));
    line += parts.at(-1) ?? "";
  }
  lines.push(line);
  const isCut = lines.length > mostLines || text.length > width * mostLines + 1;
  const shown = lines.slice(0, mostLines);
  if (isCut) shown.push(`${(shown.pop() ?? "").slice(0, width - 1)}…`);
  return { lines: shown, isCut, width: Math.max(0, ...shown.map(columnsOf)) };
}

/** The width of a text in a monospaced font, in characters. */
export function columnsOf(text: string): number {
  return cellsOf(text, 0, text.length).reduce((sum, { width }) => sum + width, 0);
}

/** Splits a text into parts of a maximum width; one empty part for an empty text. */
function cutEvery(text: string, width: number): readonly string[] {
  const parts = [""];
  for (const { start, end } of cellsOf(text, 0, text.length)) {
    const character = text.slice(start, end);
    const last = parts.at(-1) ?? "";
    if (columnsOf(last + character) > width) parts.push(character);
    else parts[parts.length - 1] = last + character;
  }
  return parts;
}
