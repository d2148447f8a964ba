import { quote } from "../../../base/text/quote.js";
import type { LocatedString, Location } from "../../source/source.js";
import type { Member, TreeNode } from "../../source/tree.js";

/** A value of the configuration, with its key, parent and members. */
export interface IndexedValue {
  readonly node: TreeNode;
  /** Its key; absent for the document and for items of lists. */
  readonly key?: LocatedString;
  /** The enclosing list or object. */
  readonly parent?: IndexedValue;
  /** Members of an object by key. A map, because a file may have any number of wrong keys. */
  readonly members: ReadonlyMap<string, Member>;
}

const none: ReadonlyMap<string, Member> = new Map();

/** Every value by its JSON pointer. */
export function indexTree(root: TreeNode): ReadonlyMap<string, IndexedValue> {
  const places = new Map<string, IndexedValue>();
  const add = (node: TreeNode, parent?: IndexedValue, key?: LocatedString): void => {
    const members =
      node.kind === "object" ? new Map(node.members.map((member) => [member.key.value, member])) : none;
    const place = { node, members, ...(key && { key }), ...(parent && { parent }) };
    places.set(node.at.pointer, place);
    if (node.kind === "array") for (const item of node.items) add(item, place);
    else for (const member of members.values()) add(member.value, place, member.key);
  };
  add(root);
  return places;
}

export function isInstance({ parent }: Pick<IndexedValue, "parent">): boolean {
  return parent?.key?.value === "instances" && !parent.parent?.parent;
}

/** The name of a value in messages: its key, if it has one. */
export function nameInMessages({ key, parent }: IndexedValue): string {
  if (key) return quote(key.value);
  if (!parent) return "the configuration";
  if (isInstance({ parent })) return "an instance";
  return `an item of ${parent.key ? quote(parent.key.value) : "a list"}`;
}

/** The location that represents a whole object: its key, or its first bracket. */
export function headOf({ node, key }: IndexedValue): Location {
  if (key) return key.at;
  const { at } = node;
  if (at.source.text[at.start] === "{") return { ...at, end: at.start + 1 };
  const first = node.kind === "object" ? node.members[0] : undefined;
  return { ...at, end: first ? first.key.at.end : at.start };
}
