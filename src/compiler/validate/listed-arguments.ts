import type { TreeNode } from "../source/tree.js";

/** Longest text that is shown: a truncated one could not be copied. */
const maxShown = 200;

/** A list of arguments as one quoted string; `undefined` when the node is not one, or too long for a hint. */
export function listedArguments(node: TreeNode): string | undefined {
  if (node.kind !== "array" || node.items.length === 0) return undefined;
  const written = node.items.flatMap((item) => (item.kind === "string" ? [item.value] : []));
  const text = JSON.stringify(written.join(", "));
  return written.length < node.items.length || text.length > maxShown ? undefined : text;
}
