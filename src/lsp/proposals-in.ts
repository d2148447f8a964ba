import { TextDocument } from "vscode-languageserver-textdocument";
import type { Host } from "../compiler/host.js";
import { completeAt, type Proposal } from "./complete.js";
import { cursorAt } from "./cursor.js";
import { isConfig, readTyped } from "./read-config.js";

/**
 * What can be written at a place of a configuration.
 * @param at line and column in UTF-16 units, both from 0
 * @returns `undefined` if the text is not a configuration, or cannot be parsed
 */
export async function proposalsIn(
  path: string,
  text: string,
  at: { readonly line: number; readonly character: number },
  host: Host,
): Promise<readonly Proposal[] | undefined> {
  const offset = TextDocument.create(path, "", 0, text).offsetAt(at);
  const config = await readTyped(path, text, offset, host);
  if (!config || !isConfig(config.tree)) return undefined;
  return completeAt(config, cursorAt(config.tree, offset)).all;
}
