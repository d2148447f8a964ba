import type { LocatedString } from "../compiler/source/source.js";
import type { ObjectNode, TreeNode } from "../compiler/source/tree.js";

/** What is at an offset of a document. */
export interface Cursor {
  /** Keys and indexes that lead to the innermost value around the offset; with the key, if the offset is in a key. */
  readonly path: readonly string[];
  readonly kind: "key" | "value" | "between";
  /** The object that has the key, or the innermost object or list. */
  readonly inside: TreeNode;
  /** The string at the offset, and the offset in its decoded text. */
  readonly text?: { readonly string: LocatedString; readonly at: number };
}

/** Finds what is at an offset. */
export function cursorAt(tree: TreeNode, offset: number): Cursor {
  return within(tree, offset, []);
}

function within(node: TreeNode, offset: number, path: readonly string[]): Cursor {
  if (node.kind === "object") return inObject(node, offset, path);
  if (node.kind === "array") {
    const index = node.items.findIndex((item) => contains(item.at, offset));
    const item = node.items[index];
    if (item) return within(item, offset, [...path, String(index)]);
    return { path, kind: "between", inside: node };
  }
  if (node.kind === "string")
    return { path, kind: "value", inside: node, text: { string: node, at: decodedOffset(node, offset) } };
  return { path, kind: "value", inside: node };
}

function inObject(node: ObjectNode, offset: number, path: readonly string[]): Cursor {
  for (const { key, value } of node.members) {
    const inKey: Cursor = {
      path: [...path, key.value],
      kind: "key",
      inside: node,
      text: { string: key, at: decodedOffset(key, offset) },
    };
    if (contains(key.at, offset)) return inKey;
    if (contains(value.at, offset)) return within(value, offset, [...path, key.value]);
  }
  return { path, kind: "between", inside: node };
}

function contains({ start, end }: { readonly start: number; readonly end: number }, offset: number): boolean {
  return start <= offset && offset <= end;
}

/** Longer texts are looked at up to here. */
const longest = 10_000;

/** The place in a decoded text that an offset of the source falls on. */
function decodedOffset(text: LocatedString, offset: number): number {
  const last = Math.min(text.value.length, longest);
  let [low, high] = [0, last];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (text.part(middle, middle).start <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
