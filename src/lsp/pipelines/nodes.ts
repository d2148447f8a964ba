import type { LocatedString } from "../../compiler/source/source.js";
import { member, memberAt, type TreeNode } from "../../compiler/source/tree.js";
import { type Dataset, datasetAt } from "../../datasets/tables/dataset.js";
import { datasetNamed } from "../../datasets/tables/datasets.js";
import { textAt } from "../handler-at.js";
import { type Part, parts, typeOf } from "./settings-at.js";

/** A source, a transform, a lookup or a sink. */
export interface DefinitionNode {
  readonly part: Part;
  readonly key: LocatedString;
  readonly value: TreeNode;
  readonly type: string | undefined;
}

/** The nodes of a definition, in the order of its parts. */
export function nodesOf(tree: TreeNode): readonly DefinitionNode[] {
  return parts.flatMap((part) => {
    const value = member(tree, part)?.value;
    if (value?.kind !== "object") return [];
    return value.members.map((one) => ({ part, ...one, type: typeOf(part, one.value) }));
  });
}

/** The node of a name. SQL does not distinguish case. A sink is found only if nothing else has its name. */
export function nodeNamed(tree: TreeNode, name: string): DefinitionNode | undefined {
  return nodesOf(tree).find(({ key }) => key.value.toLowerCase() === name.toLowerCase());
}

/** What a node is: `dataset source, of ethereum.raw_logs`. */
export function describeNode({ part, type, value }: DefinitionNode): string {
  const what = [type, part.replace(/s$/, "")].filter((word) => word !== undefined).join(" ");
  const of = textAt(value, "dataset_name") ?? textAt(value, "topic") ?? textAt(value, "table");
  return of === undefined ? what : `${what}, of ${of}`;
}

/** The dataset that a node reads. The chain of its name may be a variable. */
export function datasetOf({ type, value }: Pick<DefinitionNode, "type" | "value">): Dataset | undefined {
  if (type !== "dataset") return undefined;
  const kind = /\.([a-z0-9_]+)$/.exec(textAt(value, "dataset_name") ?? "")?.[1];
  const dataset = kind === undefined ? undefined : datasetNamed(kind);
  return dataset && datasetAt(dataset);
}

/** Whether a text at a path is a query or a condition. */
export function isSql(tree: TreeNode, path: readonly string[]): boolean {
  const [part, , setting] = path;
  if (path.length !== 3 || memberAt(tree, path)?.kind !== "string") return false;
  return (part === "transforms" && setting === "sql") || (part === "sources" && setting === "filter");
}
