import { visible } from "../../base/visible.js";
import type { SubgraphVersion } from "../../deploy/target.js";
import { UsageError } from "../terminal/usage-error.js";
import { parseProjectName } from "./project-name.js";

/**
 * Reads `<name>/<version>`.
 * @throws UsageError when it is neither, or the version is left out
 */
export function subgraphVersion(text: string): SubgraphVersion {
  const { name, version } = subgraphName(text);
  if (version === undefined) throw new UsageError(`Say which version: ${name}/<version>`);
  return { name, version };
}

/**
 * Reads `<name>` or `<name>/<version>`.
 * @throws UsageError when it is neither
 */
export function subgraphName(text: string): { readonly name: string; readonly version?: string } {
  const parsed = parseProjectName(text);
  if (parsed) return parsed;
  throw new UsageError(
    `"${visible(text)}" is not a subgraph's name: write <name>/<version>, such as pools/1.0.0; ` +
      "names begin with a letter and hold letters, digits, - and _",
  );
}

/**
 * Reads a list of tags separated by commas; each once, in the order written.
 * @throws UsageError for what cannot be a tag
 */
export function tagList(text: string | undefined): readonly string[] {
  const tags = (text ?? "")
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  if (text !== undefined && tags.length === 0) throw new UsageError("--tag: give at least one tag.");
  for (const tag of tags) {
    if (/^[a-zA-Z0-9][\w+.-]*$/.test(tag)) continue;
    throw new UsageError(
      `"${visible(tag)}" cannot be a tag: tags begin with a letter or a digit and hold letters, digits, _ + . -`,
    );
  }
  return [...new Set(tags)];
}
