import { childPointer } from "../source/source.js";
import type { Member, TreeNode } from "../source/tree.js";
import { keyUse, type ScalarValue, valueUse } from "./scalars.js";

/** The intended differences between two trees. */
export interface WantedTree {
  /** The new values, by `keyUse` and `valueUse` of the original tree. */
  readonly values: ReadonlyMap<string, ScalarValue>;
  /** The new nested objects, by the pointers of the enclosing objects. */
  readonly nests: ReadonlyMap<string, Nest>;
  /** The keys of texts in new objects, by the texts' pointers. */
  readonly wraps: ReadonlyMap<string, string>;
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
  const under = wanted.wraps.get(pointer);
  if (under !== undefined) {
    const [only, ...others] = after.kind === "object" ? after.members : [];
    return (
      only?.key.value === under && others.length === 0 && sameScalar(before, only.value, wanted, pointer)
    );
  }
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
  if (before.kind === "array" && !wanted.values.has(valueUse(pointer))) {
    if (after.kind !== "array" || before.items.length !== after.items.length) return false;
    return before.items.every((item, index) => {
      const other = after.items[index];
      return other !== undefined && sameTree(item, other, wanted, childPointer(pointer, index));
    });
  }
  return sameScalar(before, after, wanted, pointer);
}

function sameScalar(before: TreeNode, after: TreeNode, { values }: WantedTree, pointer: string): boolean {
  const value = scalarOf(after);
  if (value === undefined) return false;
  const use = valueUse(pointer);
  return Object.is(value, values.has(use) ? values.get(use) : scalarOf(before));
}

function isAddition(member: Member, { key, value }: Addition): boolean {
  return member.key.value === key && member.value.kind === "string" && member.value.value === value;
}

function scalarOf(node: TreeNode): ScalarValue | undefined {
  if (node.kind === "object" || node.kind === "array") return undefined;
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
