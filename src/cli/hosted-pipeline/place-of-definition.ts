import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The options with which commands accept a definition. */
export interface DefinitionPlace {
  readonly configPath?: string | undefined;
  /** Its text. Deprecated. */
  readonly definition?: string | undefined;
  /** Deprecated. */
  readonly definitionPath?: string | undefined;
}

/**
 * Where a definition is, and the terminal to read it with: the text of an option replaces standard input.
 * @throws UsageError unless it is given exactly once
 */
export function placeOfDefinition(
  { configPath, definition, definitionPath }: DefinitionPlace,
  terminal: Terminal,
): { readonly path: string; readonly terminal: Terminal } {
  const given = [configPath, definition, definitionPath].filter((one) => one !== undefined);
  if (given.length !== 1) throw new UsageError("Pass one file with the definition; - for standard input.");
  if (definition === undefined) return { path: configPath ?? definitionPath ?? "", terminal };
  const text = new TextEncoder().encode(definition);
  const stdin = (async function* () {
    yield text;
  })();
  return { path: "-", terminal: { ...terminal, stdin } };
}
