import { type Cell, cellsOf } from "../../base/text/visible.js";
import { type Location, positionAt } from "../source/source.js";

/** All or part of a line of a source, with the columns of a location in it. */
export interface Excerpt {
  readonly line: number;
  readonly text: string;
  /** Columns before the location. */
  readonly indent: number;
  /** Columns of the location, at least one. */
  readonly width: number;
}

/** The maximum number of columns shown. A longer line is cut at its start, its end, or both. */
const maxWidth = 100;
/** The maximum number of columns for the location and the text after it, if text precedes it. */
const maxAhead = 70;
/** Characters considered on either side: enough for the columns even if many have no width. */
const reach = 4 * maxWidth;

/** The excerpt for a location; one of several lines is shown on its first line. */
export function excerptOf({ source, start, end }: Location): Excerpt {
  const { text } = source;
  const { line, column } = positionAt(source, start);
  const at = Math.max(0, Math.min(start, text.length));
  const lineStart = at - column + 1;
  const lineEnd = endOfLine(text, at);
  const cells = cellsOf(
    text,
    wholeCharacter(text, Math.max(lineStart, at - reach)),
    Math.min(lineEnd, at + reach),
  );
  const inside = (cell: Cell): boolean => cell.start < Math.max(end, at + 1) && cell.end > at;
  const first = cells.findIndex((cell) => cell.end > at);
  const [from, to] = shownRange(cells, first === -1 ? cells.length : first);
  const shown = cells.slice(from, to);
  const cutBefore = (shown[0]?.start ?? lineStart) > lineStart;
  const cutAfter = (shown.at(-1)?.end ?? lineEnd) < lineEnd;
  return {
    line,
    text: `${cutBefore ? "…" : ""}${shown.map((cell) => cell.text).join("")}${cutAfter ? "…" : ""}`,
    indent: (cutBefore ? 1 : 0) + widthOf(shown.filter((cell) => cell.end <= at)),
    width: Math.max(1, widthOf(shown.filter(inside))),
  };
}

function endOfLine(text: string, at: number): number {
  const found = text.indexOf("\n", at);
  const end = found === -1 ? text.length : found;
  return end > at && text[end - 1] === "\r" ? end - 1 : end;
}

/** The offset, moved out of the middle of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") && /[\ud800-\udbff]/.test(text[at - 1] ?? "") ? at + 1 : at;
}

/** The range of cells to show: first from the location on, then before it, then further after it. */
function shownRange(cells: readonly Cell[], first: number): readonly [number, number] {
  let room = maxWidth;
  let from = first;
  let to = first;
  const extend = (least: number): void => {
    for (let next = cells[to]; next && room - next.width >= least; next = cells[to]) {
      room -= next.width;
      to += 1;
    }
  };
  extend(maxWidth - maxAhead);
  for (let next = cells[from - 1]; next && room >= next.width; next = cells[from - 1]) {
    room -= next.width;
    from -= 1;
  }
  extend(0);
  return [from, to];
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}
