import type { Located, LocatedString, Location } from "./source.js";

/** A JSON document whose nodes have locations: the common form of JSON, JSON5 and YAML. */
export type TreeNode =
  | ObjectNode
  | ArrayNode
  | StringNode
  | NumberNode
  | (Located<boolean> & { readonly kind: "boolean" })
  | { readonly kind: "null"; readonly at: Location };

export interface ObjectNode {
  readonly kind: "object";
  readonly at: Location;
  /** In the order written; keys are unique. */
  readonly members: readonly Member[];
}

export interface Member {
  readonly key: LocatedString;
  readonly value: TreeNode;
}

export interface ArrayNode {
  readonly kind: "array";
  readonly at: Location;
  readonly items: readonly TreeNode[];
}

export interface StringNode extends LocatedString {
  readonly kind: "string";
}

export interface NumberNode extends Located<number> {
  readonly kind: "number";
}

/** The member with this key, if it exists. Safe for keys such as `__proto__`. */
export function member(node: TreeNode, key: string): Member | undefined {
  if (node.kind !== "object") return undefined;
  return node.members.find((candidate) => candidate.key.value === key);
}

/** The value at a path of keys and indexes; the node itself for an empty path. */
export function memberAt(node: TreeNode, path: readonly string[]): TreeNode | undefined {
  return path.reduce<TreeNode | undefined>((at, key) => {
    if (at?.kind === "array") return at.items[Number(key)];
    return at && member(at, key)?.value;
  }, node);
}

/** A path of keys and indexes to a value inside another. */
export type TreePath = readonly (string | number)[];

/** The value at a path, or the innermost existing value on its path. */
export function nodeAt(node: TreeNode, [step, ...further]: TreePath): TreeNode {
  if (step === undefined) return node;
  const isItem = typeof step === "number" && node.kind === "array";
  const next = isItem ? node.items[step] : member(node, String(step))?.value;
  return next ? nodeAt(next, further) : node;
}
