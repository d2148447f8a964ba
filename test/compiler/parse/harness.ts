import { Report } from "../../../src/compiler/diagnostics/report.js";
import { parseDocument } from "../../../src/compiler/parse/parse-document.js";
import { parseYaml } from "../../../src/compiler/parse/parse-yaml.js";
import {
  type LocatedString,
  type Location,
  positionAt,
  type Source,
} from "../../../src/compiler/source/source.js";
import { member, type TreeNode } from "../../../src/compiler/source/tree.js";

/** The result of reading a text: a tree, or the findings in one line each. */
export interface Read {
  readonly source: Source;
  readonly tree: TreeNode | undefined;
  readonly found: string[];
}

/** Reads a text as the content of a file with that name. */
export function read(path: string, text: string): Read {
  const source = { path, text };
  const report = new Report();
  const tree = parseDocument(source, report, parseYaml);
  const found = report.diagnostics.map(
    ({ code, at, message }) => `${at ? span(at) : "nowhere"} ${code}: ${message}`,
  );
  return { source, tree, found };
}

/** `line:column-line:column`; the end is that of the last character. */
export function span(at: Location): string {
  const start = positionAt(at.source, at.start);
  const end = positionAt(at.source, at.end);
  return `${start.line}:${start.column}-${end.line}:${end.column}`;
}

/** The characters a location covers. */
export function textAt(at: Location): string {
  return at.source.text.slice(at.start, at.end);
}

/** The value that keys and indexes lead to. */
export function dig(tree: TreeNode | undefined, ...path: (string | number)[]): TreeNode {
  let node = tree;
  for (const step of path) {
    if (node?.kind === "array") node = node.items[step as number];
    else node = node && member(node, String(step))?.value;
  }
  if (!node) throw new Error(`nothing at ${path.join("/")}`);
  return node;
}

/** The same for a value that is a string. */
export function digString(tree: TreeNode | undefined, ...path: (string | number)[]): LocatedString {
  const node = dig(tree, ...path);
  if (node.kind !== "string") throw new Error(`no string at ${path.join("/")}`);
  return node;
}

/** The source text of each character of a string. */
export function pieces(text: LocatedString): string[] {
  return Array.from({ length: text.value.length }, (_, index) => textAt(text.part(index, index + 1)));
}
