import { visible } from "../../base/visible.js";
import { wrapped } from "./svg-text.js";

/** Width of a line of a label, in characters, and the most lines. */
const widest = 46;
const mostLines = 4;

/** Characters that mean nothing in Mermaid, HTML or Markdown when they are between quotes. */
const plain = /[\p{L}\p{M}\p{N} _.,:()/+×…-]/u;

/**
 * An untrusted text as a line of a label. Everything but letters, digits and a few marks becomes a reference such as
 * `#60;`, so that no text can end the label, the code block or a comment. Long texts are cut.
 */
export function mermaidText(text: string): string {
  const lines = wrapped(text.slice(0, 2 * widest * mostLines), widest, mostLines).lines.map(encoded);
  return lines.join("<br/>");
}

/** A label of several lines, between quotes. */
export function mermaidLabel(lines: readonly string[]): string {
  const label = lines.map(mermaidText).join("<br/>");
  // An empty label is a syntax error.
  return `"${label === "" ? " " : label}"`;
}

function encoded(line: string): string {
  return Array.from(visible(line.trimEnd()), (character) =>
    plain.test(character) ? character : `#${character.codePointAt(0)};`,
  ).join("");
}
