import { childPointer } from "../source/source.js";
import type { TreeNode } from "../source/tree.js";
import { keyUse, type ScalarValue, valueUse } from "./scalars.js";

/**
 * Whether a tree is another one with some scalars changed, and nothing else.
 * @param wanted the new values, by `keyUse` and `valueUse` of the tree before
 */
export function sameTree(
  before: TreeNode,
  after: TreeNode,
  wanted: ReadonlyMap<string, ScalarValue>,
  pointer = "",
): boolean {
  if (before.kind === "object") {
    if (after.kind !== "object" || before.members.length !== after.members.length) return false;
    return before.members.every(({ key, value }, index) => {
      const other = after.members[index];
      const inner = childPointer(pointer, key.value);
      const name = wanted.get(keyUse(inner)) ?? key.value;
      return other?.key.value === name && sameTree(value, other.value, wanted, inner);
    });
  }
  if (before.kind === "array") {
    if (after.kind !== "array" || before.items.length !== after.items.length) return false;
    return before.items.every((item, index) => {
      const other = after.items[index];
      return other !== undefined && sameTree(item, other, wanted, childPointer(pointer, index));
    });
  }
  if (after.kind === "object" || after.kind === "array") return false;
  const use = valueUse(pointer);
  const value = wanted.has(use) ? wanted.get(use) : scalarOf(before);
  return Object.is(scalarOf(after), value);
}

function scalarOf(node: Exclude<TreeNode, { kind: "object" | "array" }>): ScalarValue {
  return node.kind === "null" ? null : node.value;
}
