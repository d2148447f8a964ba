import { quote } from "../../base/text/quote.js";
import { GraphNodeError } from "./graph-node-error.js";

/**
 * Encodes a subgraph's name and version, or tag, as a graph-node name, which allows fewer characters and requires a
 * letter in each part: `pools`, `1.0.0` becomes `pools/v1-0-0`.
 * @throws GraphNodeError if a part has no allowed character, or if the name is too long
 */
export function graphNodeName(name: string, version: string): string {
  const parts = [partOf(name, "subgraph"), partOf(version, "version")];
  const named = parts.join("/");
  if (named.length <= longest) return named;
  throw new GraphNodeError(
    `The name ${quote(named)} has ${named.length} characters, but graph-node allows at most ${longest}; use a shorter name`,
  );
}

const longest = 255;

function partOf(text: string, what: "subgraph" | "version"): string {
  const part = text.replace(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "");
  if (part === "") {
    throw new GraphNodeError(
      `The ${what} ${quote(text)} has no letter or digit, but graph-node requires one; choose a different name`,
    );
  }
  if (!/[A-Za-z]/.test(part)) return what === "version" ? `v${part}` : `subgraph-${part}`;
  // The paths of query URLs reserve `graphql`.
  return part === "graphql" ? `graphql-${what}` : part;
}
