import { visible } from "../../base/text/visible.js";
import type { LineHistory } from "./line-history.js";

/** The role of a line in a diff, which determines its decoration. */
export type DiffRole = "file" | "hunk" | "removed" | "added" | "same";

/** Number of unchanged lines to show around a change. */
const context = 3;
const signs = { removed: "-", added: "+", same: " " } as const;

interface Line {
  readonly role: keyof typeof signs;
  readonly text: string;
  /** Whether it is the text's last line and has no line break. */
  readonly isOpen: boolean;
}

/**
 * Formats the change to a text as a unified diff with control characters escaped.
 * @param history the lines of `before` that are unchanged in `after`
 * @param paint decorates a line
 */
export function unifiedDiff(
  path: string,
  before: string,
  after: string,
  history: LineHistory,
  paint: (role: DiffRole, line: string) => string = (_, line) => line,
): string {
  const lines = compare(linesOf(before), linesOf(after), history.lines);
  const printed = hunks(lines).flatMap((hunk) => printHunk(lines, hunk, paint));
  if (printed.length === 0) return "";
  const heads = [`--- ${visible(path)}`, `+++ ${visible(path)}`].map((head) => paint("file", head));
  return [...heads, ...printed].map((line) => `${line}\n`).join("");
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => `${line}\n`);
  const last = lines.pop()?.slice(0, -1) ?? "";
  return last === "" ? lines : [...lines, last];
}

/** All lines: unchanged ones once, changed ones as removed and added lines. */
function compare(
  before: readonly string[],
  after: readonly string[],
  kept: readonly (number | undefined)[],
): readonly Line[] {
  const lines: Line[] = [];
  let old = 0;
  let added: string[] = [];
  const flush = (upTo: number): void => {
    lines.push(...changed(before.slice(old, upTo), added));
    added = [];
    old = upTo;
  };
  after.forEach((line, index) => {
    const known = kept[index];
    if (known === undefined) added.push(line);
    else {
      flush(known);
      lines.push(lineOf("same", line));
      old += 1;
    }
  });
  flush(before.length);
  return lines;
}

/** The changed lines, except lines whose changes were undone. */
function changed(before: readonly string[], after: readonly string[]): readonly Line[] {
  const room = Math.min(before.length, after.length);
  let top = 0;
  while (top < room && before[top] === after[top]) top += 1;
  let bottom = 0;
  while (bottom < room - top && before.at(-1 - bottom) === after.at(-1 - bottom)) bottom += 1;
  return [
    ...before.slice(0, top).map((line) => lineOf("same", line)),
    ...before.slice(top, before.length - bottom).map((line) => lineOf("removed", line)),
    ...after.slice(top, after.length - bottom).map((line) => lineOf("added", line)),
    ...before.slice(before.length - bottom).map((line) => lineOf("same", line)),
  ];
}

function lineOf(role: Line["role"], line: string): Line {
  const isOpen = !line.endsWith("\n");
  return { role, text: isOpen ? line : line.replace(/\r?\n$/, ""), isOpen };
}

/** The ranges of lines to show: changes with their context, merged if they touch. */
function hunks(lines: readonly Line[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  lines.forEach(({ role }, index) => {
    if (role === "same") return;
    const from = Math.max(0, index - context);
    const to = Math.min(lines.length, index + context + 1);
    const last = found.at(-1);
    if (last && from <= last[1]) last[1] = to;
    else found.push([from, to]);
  });
  return found;
}

function printHunk(
  lines: readonly Line[],
  [from, to]: readonly [number, number],
  paint: (role: DiffRole, line: string) => string,
): readonly string[] {
  const range = (other: Line["role"]): string => {
    const count = (span: readonly Line[]): number => span.filter(({ role }) => role !== other).length;
    return `${count(lines.slice(0, from)) + 1},${count(lines.slice(from, to))}`;
  };
  const head = paint("hunk", `@@ -${range("added")} +${range("removed")} @@`);
  const printed = lines.slice(from, to).flatMap(({ role, text, isOpen }) => {
    const line = paint(role, `${signs[role]}${text.split("\t").map(visible).join("\t")}`);
    return isOpen ? [line, "\\ No newline at end of file"] : [line];
  });
  return [head, ...printed];
}
