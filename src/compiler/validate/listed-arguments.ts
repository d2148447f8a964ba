import type { TreeNode } from "../source/tree.js";
import { itemsOf } from "./tree-access.js";

/** Longest text that is shown: a truncated one could not be copied. */
const maxShown = 200;

/**
 * A list of arguments, or an object of arguments by name, as one quoted string; `undefined` when it is neither,
 * or too long for a hint.
 */
export function listedArguments(node: TreeNode): string | undefined {
  const items = node.kind === "object" ? node.members.map(({ value }) => value) : itemsOf(node);
  const written = items.flatMap((item) => (item.kind === "string" ? [item.value] : []));
  const text = JSON.stringify(written.join(", "));
  return items.length === 0 || written.length < items.length || text.length > maxShown ? undefined : text;
}
