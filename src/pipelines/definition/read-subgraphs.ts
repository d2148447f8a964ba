import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { ObjectNode, TreeNode } from "../../compiler/source/tree.js";
import { readSettings } from "./read-settings.js";
import { kindOf } from "./read-value.js";
import type { Shape } from "./shape.js";

/** A subgraph that an entity is read from. */
export interface SubgraphReference {
  readonly at: Location;
  /** Its name, or the deployment id of a build. */
  readonly name: LocatedString;
  /** A version or a tag; absent for a deployment id. */
  readonly version: LocatedString | undefined;
}

const shape = {
  name: { type: "string", required: true, describe: "the name of the subgraph, or a deployment id" },
  version: { type: "string", describe: "its version or a tag; not with a deployment id" },
} as const satisfies Shape;

/** A deployment id: the IPFS hash of a build's manifest. */
export function isDeploymentId(text: string): boolean {
  return /^Qm[1-9A-HJ-NP-Za-km-z]{44}$/.test(text);
}

/** Reads the subgraphs of a source; `undefined` after a reported error. */
export function readSubgraphs(node: TreeNode, report: Report): readonly SubgraphReference[] | undefined {
  if (node.kind !== "array" || node.items.length === 0) {
    const what = node.kind === "array" ? "an empty list" : kindOf(node);
    report.error("wrong-type", node.at, `"subgraphs" must be a list of subgraphs, not ${what}`, {
      hint: "write subgraphs: [{ name: pools, version: 1.0.0 }]",
    });
    return undefined;
  }
  const read = node.items.map((item) => {
    if (item.kind === "object") return readSubgraph(item, report);
    report.error(
      "wrong-type",
      item.at,
      `a subgraph must be a map with name and version, not ${kindOf(item)}`,
    );
    return undefined;
  });
  return read.every((subgraph) => subgraph !== undefined) ? read : undefined;
}

function readSubgraph(node: ObjectNode, report: Report): SubgraphReference | undefined {
  const at = node.members[0]?.key.at ?? node.at;
  const { name, version } = readSettings(node, shape, { at, what: "a subgraph" }, report);
  if (!name) return undefined;
  if (version || isDeploymentId(name.value)) return { at: name.at, name, version };
  report.error("missing-key", at, 'a subgraph requires "version"', {
    hint: "add version: 1.0.0, or write the deployment id of a build as the name",
  });
  return undefined;
}
