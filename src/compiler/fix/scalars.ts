import { childPointer, type LocatedString, type Location } from "../source/source.js";
import type { ArrayNode, ObjectNode, TreeNode } from "../source/tree.js";

export type ScalarValue = string | number | boolean | null;

/** A key or value in the text; a YAML alias may give it several uses. */
export interface WrittenScalar {
  readonly at: Location;
  readonly value: ScalarValue;
  readonly string?: LocatedString;
  readonly uses: Set<string>;
}

/** An object or a list in the text. */
export interface Placed<Node extends ObjectNode | ArrayNode> {
  readonly node: Node;
  /** Its pointers in the tree; a YAML anchor may have several. */
  readonly uses: Set<string>;
}

export type PlacedObject = Placed<ObjectNode>;

export type PlacedList = Placed<ArrayNode>;

/** Identifies a key of the tree by pointer. */
export function keyUse(pointer: string): string {
  return `key ${pointer}`;
}

/** Identifies a value of the tree by pointer. */
export function valueUse(pointer: string): string {
  return `value ${pointer}`;
}

/** The scalars, objects and lists of a document by location. */
export class Scalars {
  readonly #byPlace = new Map<string, WrittenScalar>();
  readonly #objects = new Map<string, PlacedObject>();
  readonly #lists = new Map<string, PlacedList>();

  constructor(tree: TreeNode) {
    this.#visit(tree, "");
  }

  /** The scalar at exactly this location. */
  at({ start, end }: Location): WrittenScalar | undefined {
    return this.#byPlace.get(`${start} ${end}`);
  }

  /** The object at exactly this location. */
  objectAt({ start, end }: Location): PlacedObject | undefined {
    return this.#objects.get(`${start} ${end}`);
  }

  /** The list at exactly this location. */
  listAt({ start, end }: Location): PlacedList | undefined {
    return this.#lists.get(`${start} ${end}`);
  }

  #visit(node: TreeNode, pointer: string): void {
    switch (node.kind) {
      case "object":
        addPlaced(this.#objects, node, pointer);
        for (const { key, value } of node.members) {
          const inner = childPointer(pointer, key.value);
          this.#add(key.at, key.value, keyUse(inner), key);
          this.#visit(value, inner);
        }
        return;
      case "array":
        addPlaced(this.#lists, node, pointer);
        node.items.forEach((item, index) => {
          this.#visit(item, childPointer(pointer, index));
        });
        return;
      case "string":
        this.#add(node.at, node.value, valueUse(pointer), node);
        return;
      case "null":
        this.#add(node.at, null, valueUse(pointer));
        return;
      default:
        this.#add(node.at, node.value, valueUse(pointer));
    }
  }

  #add(at: Location, value: ScalarValue, use: string, string?: LocatedString): void {
    const place = `${at.start} ${at.end}`;
    const known = this.#byPlace.get(place);
    if (known) known.uses.add(use);
    else this.#byPlace.set(place, { at, value, ...(string && { string }), uses: new Set([use]) });
  }
}

function addPlaced<Node extends ObjectNode | ArrayNode>(
  places: Map<string, Placed<Node>>,
  node: Node,
  pointer: string,
): void {
  const place = `${node.at.start} ${node.at.end}`;
  const known = places.get(place);
  if (known) known.uses.add(pointer);
  else places.set(place, { node, uses: new Set([pointer]) });
}
