import type { TreeNode } from "../source/tree.js";

/** Longer ones are not shown: what is cut could not be copied. */
const maxShown = 200;

/** The text, quoted, that says what a list of arguments says; nothing where it is none, or too long for a hint. */
export function listedArguments(node: TreeNode): string | undefined {
  if (node.kind !== "array" || node.items.length === 0) return undefined;
  const written = node.items.flatMap((item) => (item.kind === "string" ? [item.value] : []));
  const text = JSON.stringify(written.join(", "));
  return written.length < node.items.length || text.length > maxShown ? undefined : text;
}
