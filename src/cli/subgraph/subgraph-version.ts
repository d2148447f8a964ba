import { visible } from "../../base/text/visible.js";
import type { SubgraphVersion } from "../../deploy/target.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { parseProjectName } from "./project-name.js";

/**
 * Parses `<name>/<version>`.
 * @throws UsageError for any other text, also without a version
 */
export function subgraphVersion(text: string): SubgraphVersion {
  const { name, version } = subgraphName(text);
  if (version === undefined) throw new UsageError(`Specify a version: ${name}/<version>`);
  return { name, version };
}

/**
 * Parses `<name>` or `<name>/<version>`.
 * @throws UsageError for any other text
 */
export function subgraphName(text: string): { readonly name: string; readonly version?: string } {
  const parsed = parseProjectName(text);
  if (parsed) return parsed;
  throw new UsageError(
    `"${visible(text)}" is not a subgraph name. Write <name>/<version>, such as pools/1.0.0; ` +
      "names start with a letter and contain letters, digits, - and _",
  );
}

/**
 * Parses a comma-separated list of tags; duplicates are dropped, the order is kept.
 * @throws UsageError for an invalid tag
 */
export function tagList(text: string | undefined): readonly string[] {
  const tags = (text ?? "")
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
  if (text !== undefined && tags.length === 0) throw new UsageError("--tag requires at least one tag.");
  for (const tag of tags) {
    if (/^[a-zA-Z0-9][\w+.-]*$/.test(tag)) continue;
    throw new UsageError(
      `"${visible(tag)}" is not a valid tag. Tags start with a letter or a digit and contain letters, digits, _ + . -`,
    );
  }
  return [...new Set(tags)];
}
