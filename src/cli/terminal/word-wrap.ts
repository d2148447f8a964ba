import { widthOf } from "./cells.js";
import type { Terminal } from "./terminal.js";

/** Columns of a terminal of unknown width. */
const usualWidth = 80;

/**
 * Breaks the lines of a text at blanks, so that a terminal need not break them inside words. Continuation lines keep
 * the indentation of their line; a word that is wider than the terminal stays whole.
 * @param columns the width of the terminal
 */
export function wordWrapped(text: string, columns: number): string {
  return text
    .split("\n")
    .map((line) => (widthOf(line) <= columns ? line : brokenLine(line, columns).join("\n")))
    .join("\n");
}

/**
 * Breaks a command line at blanks, so that a shell still takes it as one.
 * @param indent blanks before every line
 */
export function wrappedCommand(command: string, columns: number, indent: string): string {
  return brokenLine(indent + command, columns - 2, `${indent}    `).join(" \\\n");
}

function brokenLine(line: string, columns: number, indent = /^ */.exec(line)?.[0] ?? ""): readonly string[] {
  const [first = "", ...words] = line.trimStart().split(" ");
  const lines = [(/^ */.exec(line)?.[0] ?? "") + first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (widthOf(longer) <= columns) lines[lines.length - 1] = longer;
    else lines.push(indent + word);
  }
  return lines;
}

/** A terminal that breaks its output at blanks when people read it; for sentences, not for tables. */
export function wrapping(terminal: Terminal): Terminal {
  const { isTty, outColor, columns = usualWidth } = terminal;
  return {
    ...terminal,
    // Code that rewrites its line respects the width itself.
    passing: terminal.passing ?? ((text) => terminal.err(text)),
    err: (text) => terminal.err(isTty ? wordWrapped(text, columns) : text),
    out: (text) => terminal.out(outColor ? wordWrapped(text, columns) : text),
  };
}
