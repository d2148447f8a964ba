import type { Source } from "../source/source.js";
import type { AddChange } from "./change.js";
import { encodeQuoted } from "./encode-text.js";
import type { Splice } from "./splice.js";
import { insert, lineBreak, linePrefix, quotedLike } from "./written-style.js";

/** Inserts a member before an object's first one, in the style of the text: on its own line if the first one is. */
export function writeAddition({ object, key, value }: AddChange, { text }: Source): readonly Splice[] {
  const { members, at } = object.node;
  const [first] = members;
  if (!first) return [];
  const { start } = first.key.at;
  const before = linePrefix(text, start);
  const member = `${quotedLike(key, text[start])}: ${encodeQuoted(value)}`;
  const isPipeline = text[at.start] === "{";
  const isInLine = isPipeline && before.trim() !== "";
  const comma = isPipeline ? "," : "";
  const gap = isInLine ? " " : `${lineBreak(text)}${before.replace(/\S/g, " ")}`;
  return [insert(start, `${member}${comma}${gap}`)];
}
