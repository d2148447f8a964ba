import { ToolRefusal } from "../../mcp/tool.js";
import type { SubgraphArguments } from "../pipeline/sources/open-subgraphs.js";
import type { RemoteArguments } from "../remote/session.js";
import type { CacheArguments, ReportArguments } from "../terminal/usage/options.js";

/** What all tools of a server have in common: where it looks for versions, and how commands report. */
export interface McpArguments extends RemoteArguments, CacheArguments, SubgraphArguments {
  readonly readOnly: boolean;
  readonly trustDefinitions: boolean;
}

/** The options of commands that agents cannot choose. */
export function commonArguments({
  token,
  apiUrl,
  project,
  cache,
}: McpArguments): RemoteArguments & CacheArguments & ReportArguments {
  return { token, apiUrl, project, cache, verbose: false, color: false, format: "json" };
}

/** The word that names a subgraph. */
export const wordSchema = {
  type: "string",
  minLength: 1,
  maxLength: 500,
  description:
    "configuration, subgraph.yaml or its folder, build or zip of one, deployment id, or <name>/<version> on the server",
} as const;

/** A network of networks.json. */
export const networkSchema = {
  type: "string",
  maxLength: 100,
  description: "for a subgraph.yaml: the network of networks.json whose addresses and start blocks count",
} as const;

/** The number of a block. */
export const blockSchema = { type: "integer", minimum: 0, maximum: 2_147_483_647 } as const;

/**
 * A word that names a subgraph for an agent.
 * @throws ToolRefusal for standard input, which the protocol uses, and for addresses, which only users may choose
 */
export function givenWord(word: unknown): string {
  const text = String(word);
  if (text === "-") throw new ToolRefusal("Name a file or folder. Standard input is not available here.");
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text))
    throw new ToolRefusal(
      "Tools take no addresses. Name a file or folder, a deployment id, or <name>/<version> on the server.",
    );
  return text;
}

/** An argument that may be absent. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** An argument that may be absent. */
export function numberIn(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
