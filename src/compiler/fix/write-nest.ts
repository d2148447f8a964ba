import type { Source } from "../source/source.js";
import type { NestChange } from "./change.js";
import type { Splice } from "./splice.js";
import { insert, lineBreak, linePrefix, quotedLike } from "./written-style.js";

/** Indentation per level if the text does not show one. */
const usualStep = "  ";

/**
 * Wraps members of an object in a new object, in the style of the text. Comments and formatting inside stay; lines
 * are indented by one more level.
 * @returns `undefined` if the members are missing or not adjacent in the text
 */
export function writeNest({ object, keys, under }: NestChange, { text }: Source): readonly Splice[] {
  const { members, at } = object.node;
  const moved = members.filter(({ key }) => keys.has(key.value));
  const [first, last] = [moved[0], moved.at(-1)];
  if (!first || !last) return [];
  const [start, end] = [first.key.at.start, last.value.at.end];
  const before = linePrefix(text, start);
  const name = quotedLike(under, text[start]);
  if (text[at.start] !== "{") {
    const opened = `${name}:${lineBreak(text)}${before.replace(/\S/g, " ")}${usualStep}`;
    return [insert(start, opened), ...indented(text, start, end, usualStep)];
  }
  if (before.trim() !== "") return [insert(start, `${name}: { `), insert(end, " }")];
  const outer = /^\s*/.exec(linePrefix(text, at.start))?.[0] ?? "";
  const step = (before.startsWith(outer) && before.slice(outer.length)) || usualStep;
  return [
    insert(start, `${name}: {${lineBreak(text)}${before}${step}`),
    ...indented(text, start, end, step),
    insert(end, `${lineBreak(text)}${before}}`),
  ];
}

/** The non-blank lines that begin between two offsets, indented. */
function indented(text: string, start: number, end: number, step: string): Splice[] {
  const lineStarts = [...text.slice(start, end).matchAll(/\n(?=[^\S\n]*\S)/g)];
  return lineStarts.map(({ index }) => insert(start + index + 1, step));
}
