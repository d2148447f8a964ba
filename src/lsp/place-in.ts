import { TextDocument } from "vscode-languageserver-textdocument";
import type { Host } from "../compiler/host.js";
import { type Cursor, cursorAt } from "./cursor.js";
import { isConfig, type ReadConfig, readTyped } from "./read-config.js";

/** A place in a configuration. */
export interface PlaceIn {
  readonly config: ReadConfig;
  readonly cursor: Cursor;
}

/**
 * What is at a place of a configuration, which may be half typed.
 * @param path for the host
 * @param at line and column in UTF-16 units, both from 0
 * @returns `undefined` if the text is not a configuration, or cannot be parsed
 */
export async function placeIn(
  path: string,
  text: string,
  at: { readonly line: number; readonly character: number },
  host: Host,
): Promise<PlaceIn | undefined> {
  const offset = TextDocument.create(path, "", 0, text).offsetAt(at);
  const config = await readTyped(path, text, offset, host);
  return config && isConfig(config.tree) ? { config, cursor: cursorAt(config.tree, offset) } : undefined;
}
