import type { LocatedString, Span } from "../../compiler/source/source.js";
import type { StringNode } from "../../compiler/source/tree.js";

/** What a part of a string is replaced by. */
export interface Replacement extends Span {
  readonly value: string;
}

/** A stretch of the new string, and where it was before. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
  readonly isNew: boolean;
}

/**
 * Replaces parts of a string. Places in the new string are located exactly where the text has stayed, and at the whole
 * replaced part within a replacement.
 * @param replacements in the order of the string, without overlaps
 */
export function replaceParts(text: StringNode, replacements: readonly Replacement[]): StringNode {
  const pieces: Piece[] = [];
  let value = "";
  let from = 0;
  const add = (added: string, to: number, isNew: boolean): void => {
    if (added !== "") pieces.push({ start: value.length, end: value.length + added.length, from, to, isNew });
    value += added;
    from = to;
  };
  for (const { start, end, value: added } of replacements) {
    add(text.value.slice(from, start), start, false);
    add(added, end, true);
  }
  add(text.value.slice(from), text.value.length, false);
  return { kind: "string", value, at: text.at, part: partOf(text, pieces) };
}

function partOf(text: LocatedString, pieces: readonly Piece[]): LocatedString["part"] {
  const before = (offset: number, isEnd: boolean): number => {
    const piece = pieces.find(({ start, end }) =>
      isEnd ? offset > start && offset <= end : offset >= start && offset < end,
    );
    if (!piece) return offset <= 0 ? 0 : text.value.length;
    if (!piece.isNew) return piece.from + offset - piece.start;
    return isEnd ? piece.to : piece.from;
  };
  return (start, end) => {
    const from = before(start, false);
    return text.part(from, Math.max(from, start === end ? from : before(end, true)));
  };
}
