import type { Splice } from "./splice.js";

/** The text before an offset on its line. */
export function linePrefix(text: string, offset: number): string {
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
}

/** A key, quoted like its neighbour, whose first character is `first`. */
export function quotedLike(key: string, first: string | undefined): string {
  return first === '"' || first === "'" ? `${first}${key}${first}` : key;
}

/** The line break that a text uses. */
export function lineBreak(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Inserts a text between two characters. */
export function insert(at: number, text: string): Splice {
  return { start: at, end: at, text };
}
