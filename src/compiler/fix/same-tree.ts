import { childPointer } from "../source/source.js";
import type { Member, TreeNode } from "../source/tree.js";
import { keyUse, type ScalarValue, valueUse } from "./scalars.js";

/** The intended differences between two trees. */
export interface WantedTree {
  /** The new values, by `keyUse` and `valueUse` of the original tree. */
  readonly values: ReadonlyMap<string, ScalarValue>;
  /** The new nested objects, by the pointers of the enclosing objects. */
  readonly nests: ReadonlyMap<string, Nest>;
  /** The new first members, by the pointers of their objects. */
  readonly additions: ReadonlyMap<string, Addition>;
}

/** A new first member of an object. */
export interface Addition {
  readonly key: string;
  readonly value: string;
}

/** Adjacent members of an object to move into a new object under a new key. */
export interface Nest {
  readonly keys: ReadonlySet<string>;
  readonly under: string;
}

/** Whether two trees differ exactly as intended. */
export function sameTree(before: TreeNode, after: TreeNode, wanted: WantedTree, pointer = ""): boolean {
  if (before.kind === "object") {
    if (after.kind !== "object") return false;
    const addition = wanted.additions.get(pointer);
    const [first, ...others] = after.members;
    if (addition && !(first && isAddition(first, addition))) return false;
    const members = addition ? others : after.members;
    const nest = wanted.nests.get(pointer);
    return nest
      ? sameNested(before.members, members, nest, wanted, pointer)
      : sameMembers(before.members, members, wanted, pointer);
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
  const value = wanted.values.has(use) ? wanted.values.get(use) : scalarOf(before);
  return Object.is(scalarOf(after), value);
}

function isAddition(member: Member, { key, value }: Addition): boolean {
  return member.key.value === key && member.value.kind === "string" && member.value.value === value;
}

function scalarOf(node: Exclude<TreeNode, { kind: "object" | "array" }>): ScalarValue {
  return node.kind === "null" ? null : node.value;
}

function sameMembers(
  before: readonly Member[],
  after: readonly Member[],
  wanted: WantedTree,
  pointer: string,
): boolean {
  if (before.length !== after.length) return false;
  return before.every(({ key, value }, index) => {
    const other = after[index];
    const inner = childPointer(pointer, key.value);
    const name = wanted.values.get(keyUse(inner)) ?? key.value;
    return other?.key.value === name && sameTree(value, other.value, wanted, inner);
  });
}

function sameNested(
  before: readonly Member[],
  after: readonly Member[],
  { keys, under }: Nest,
  wanted: WantedTree,
  pointer: string,
): boolean {
  const from = before.findIndex(({ key }) => keys.has(key.value));
  const to = from + keys.size;
  const nested = after[from];
  if (nested?.key.value !== under || nested.value.kind !== "object") return false;
  if (nested.value.members.length !== keys.size) return false;
  const around = [...before.slice(0, from), ...before.slice(to)];
  return (
    sameMembers(before.slice(from, to), nested.value.members, wanted, pointer) &&
    sameMembers(around, after.toSpliced(from, 1), wanted, pointer)
  );
}
