import type { Location } from "../../../src/compiler/source/source.js";

/** A place in a text, which brackets mark: `a [b] c`. */
export function place(path: string, marked: string, pointer = ""): Location {
  const start = marked.indexOf("[");
  const end = marked.indexOf("]", start) - 1;
  const text = marked.slice(0, start) + marked.slice(start + 1, end + 1) + marked.slice(end + 2);
  return { source: { path, text }, pointer, start, end };
}
