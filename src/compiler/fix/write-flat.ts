import type { Source } from "../source/source.js";
import type { FlatChange } from "./change.js";
import { encodeQuoted } from "./encode-text.js";
import type { Splice } from "./splice.js";

/**
 * Replaces a list with one text.
 * @returns no splice if a comment in the list would be lost
 */
export function writeFlat({ list, value }: FlatChange, { text }: Source): readonly Splice[] {
  const { at, items } = list.node;
  const last = items.at(-1)?.at.end ?? at.end;
  const isInBrackets = text[at.start] === "[";
  // The lines of a YAML list end where its last item does.
  const end = isInBrackets ? at.end : last;
  let between = at.start;
  for (const item of [...items.map((each) => each.at), { start: end, end }]) {
    if (/[^\s,[\]-]/.test(text.slice(between, item.start))) return [];
    between = item.end;
  }
  const written = typeof value === "string" ? encodeQuoted(value) : String(value);
  if (isInBrackets) return [{ start: at.start, end, text: written }];
  const key = text.slice(0, at.start).trimEnd();
  return key.endsWith(":") ? [{ start: key.length, end, text: ` ${written}` }] : [];
}
