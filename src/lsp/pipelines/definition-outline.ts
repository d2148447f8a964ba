import type { TreeNode } from "../../compiler/source/tree.js";
import { type OutlinePart, outlinePart } from "../outline.js";
import { describeNode, nodesOf } from "./nodes.js";

/** The sources, transforms, lookups and sinks of a definition. */
export function definitionOutline(tree: TreeNode): readonly OutlinePart[] {
  return nodesOf(tree).map((node) => ({ ...outlinePart(node, node.part), detail: describeNode(node) }));
}
