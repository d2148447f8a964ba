import { present } from "../../../base/invariant.js";
import type { LocatedString } from "../../source/source.js";
import { type Member, member, type StringNode, type TreeNode } from "../../source/tree.js";

// Functions that read a tree that satisfies the schema. Absent values take the schema's defaults.

/** The value of a key, if it exists. */
export function childOf(node: TreeNode | undefined, key: string): TreeNode | undefined {
  return node && member(node, key)?.value;
}

/** A required string. */
export function stringOf(node: TreeNode, key: string): LocatedString {
  return present(optionalString(node, key), `the schema let a missing ${key} pass`);
}

/** An optional string. */
export function optionalString(node: TreeNode | undefined, key: string): LocatedString | undefined {
  const value = childOf(node, key);
  return value?.kind === "string" ? value : undefined;
}

/** False by default. */
export function booleanOf(node: TreeNode | undefined, key: string): boolean {
  const value = childOf(node, key);
  return value?.kind === "boolean" && value.value;
}

/** The items of a list; empty if it is not a list. */
export function itemsOf(node: TreeNode | undefined): readonly TreeNode[] {
  return node?.kind === "array" ? node.items : [];
}

/** The members of an object; empty if it is not an object. */
export function membersOf(node: TreeNode | undefined): readonly Member[] {
  return node?.kind === "object" ? node.members : [];
}

/** The items of a list of strings. */
export function stringsOf(node: TreeNode | undefined): readonly StringNode[] {
  return itemsOf(node).filter((item) => item.kind === "string");
}
