import type { TreeNode } from "./tree.js";

/** The plain JSON value of a tree. Objects have no prototype, so that `__proto__` is an ordinary key. */
export function toPlain(node: TreeNode): unknown {
  switch (node.kind) {
    case "object": {
      const plain: Record<string, unknown> = Object.create(null);
      for (const { key, value } of node.members) plain[key.value] = toPlain(value);
      return plain;
    }
    case "array":
      return node.items.map(toPlain);
    case "null":
      return null;
    default:
      return node.value;
  }
}
