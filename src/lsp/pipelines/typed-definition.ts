import { Report } from "../../compiler/diagnostics/report.js";
import { parseDocument } from "../../compiler/parse/parse-document.js";
import { parseYaml } from "../../compiler/parse/parse-yaml.js";
import type { Source, Span } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";
import { type Cursor, cursorAt } from "../cursor.js";
import { completedTexts } from "../read-config.js";
import { isDefinition } from "./is-definition.js";

/** A place in a definition, which may be half typed. */
export interface DefinitionPlace {
  /** As it is in the editor. */
  readonly source: Source;
  /** With what was missing at the cursor. Locations before the cursor, and in its line up to the word, are the editor's. */
  readonly tree: TreeNode;
  readonly cursor: Cursor;
  /** The word at the cursor, in the text of the editor. */
  readonly word: Span & { readonly text: string };
  /** Whether the text could be read as it is, so that all locations are the editor's. */
  readonly isWhole: boolean;
}

/** Reads a definition at an offset; `undefined` if the text is none, or cannot be parsed. */
export function typedDefinition(path: string, text: string, offset: number): DefinitionPlace | undefined {
  const isYaml = /\.ya?ml$/i.test(path);
  for (const candidate of isYaml ? completedYaml(text, offset) : completedTexts(text, offset)) {
    const tree = parseDefinition({ path, text: candidate });
    if (!tree) continue;
    if (!isDefinition(tree)) return undefined;
    const source = { path, text };
    return {
      source,
      tree,
      cursor: cursorAt(tree, offset),
      word: wordAt(text, offset),
      isWhole: candidate === text,
    };
  }
  return undefined;
}

/** The tree of a text; `undefined` if it cannot be parsed. */
export function parseDefinition(source: Source): TreeNode | undefined {
  return parseDocument(source, new Report(), parseYaml);
}

/**
 * In YAML, an empty line belongs to the map of its indentation, and a word alone is the beginning of a key. So a key is put
 * there first, and a value behind a colon.
 */
function completedYaml(text: string, offset: number): readonly string[] {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  const after = /^[^\r\n]*/.exec(text.slice(offset))?.[0] ?? "";
  const put = (at: number, more: string): string => text.slice(0, at) + more + text.slice(at);
  const isKey = /^[ ]*(?:- +)?[\w-]*$/.test(before) && /^[\w-]*[ ]*$/.test(after);
  if (isKey) {
    const { start, end } = wordAt(text, offset);
    return [put(end, start === end ? `${missing}: null` : ": null"), text];
  }
  const isValue = /:[ ]+$/.test(before) && /^[ ]*(?:#.*)?$/.test(after);
  return isValue ? [put(offset, missing), text] : [text];
}

/** Stands for what is not typed yet. No setting and no node has this name. */
export const missing = "_";

function wordAt(text: string, offset: number): DefinitionPlace["word"] {
  const before = /[\w.-]*$/.exec(text.slice(Math.max(0, offset - longest), offset))?.[0] ?? "";
  const after = /^[\w.-]*/.exec(text.slice(offset, offset + longest))?.[0] ?? "";
  const [start, end] = [offset - before.length, offset + after.length];
  return { start, end, text: before };
}

/** Longer words are cut. */
const longest = 200;
