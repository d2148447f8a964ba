import type { Source } from "../source/source.js";
import type { WrapChange } from "./change.js";
import { encodeQuoted } from "./encode-text.js";
import type { Splice } from "./splice.js";
import { quotedLike } from "./written-style.js";

/** Puts a text into an object on the same line. An unquoted text may mean something else there. */
export function writeWrap({ scalar, under }: WrapChange, { text }: Source): Splice {
  const { start, end } = scalar.at;
  const written = text.slice(start, end);
  const isQuoted = written.startsWith('"') || written.startsWith("'");
  const value = isQuoted ? written : encodeQuoted(String(scalar.value));
  // YAML allows quoted and unquoted keys here, JSON only quoted ones.
  const key = quotedLike(under, isQuoted ? written[0] : undefined);
  return { start, end, text: `{ ${key}: ${value} }` };
}
