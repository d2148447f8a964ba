import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntityType } from "../../subgraph/schema/entity-schema.js";

/** A pending change of one entity. */
export type PendingOperation =
  /** Merges fields into the entity's. */
  | { readonly kind: "merge"; readonly fields: FieldValues; readonly order: number }
  /** Sets fields after a removal: the entity has no other fields. */
  | { readonly kind: "replace"; readonly fields: FieldValues; readonly order: number }
  | { readonly kind: "remove"; readonly order: number };

export type FieldValues = Map<string, StoreValue>;

/** The pending changes of a handler or a block on top of a state. It holds at most one operation per entity. */
export class Overlay {
  readonly #types = new Map<string, Map<string, PendingOperation>>();

  get(type: string, id: string): PendingOperation | undefined {
    return this.#types.get(type)?.get(id);
  }

  /**
   * Merges an operation into the entity's pending one. The overlay takes ownership of the operation's fields.
   */
  add(type: string, id: string, operation: PendingOperation): void {
    let ofType = this.#types.get(type);
    if (!ofType) {
      ofType = new Map();
      this.#types.set(type, ofType);
    }
    ofType.set(id, accumulated(ofType.get(id), operation));
  }

  /** The pending operations of a type, by id. */
  ofType(type: string): Iterable<readonly [id: string, PendingOperation]> {
    return this.#types.get(type) ?? [];
  }

  *[Symbol.iterator](): Generator<readonly [type: string, id: string, PendingOperation]> {
    for (const [type, ofType] of this.#types) {
      for (const [id, operation] of ofType) yield [type, id, operation];
    }
  }

  clear(): void {
    this.#types.clear();
  }
}

function accumulated(before: PendingOperation | undefined, operation: PendingOperation): PendingOperation {
  if (operation.kind !== "merge" || !before) return operation;
  const { fields, order } = operation;
  if (before.kind === "remove") return { kind: "replace", fields, order };
  for (const [name, value] of fields) before.fields.set(name, value);
  return { kind: before.kind, fields: before.fields, order };
}

/**
 * Applies an operation to an entity; the result is sorted. As in graph-node, null removes a field of an entity that
 * exists, but stays visible in an entity that the operation creates or replaces.
 */
export function applied(
  type: EntityType,
  before: Entity | undefined,
  operation: PendingOperation,
): Entity | undefined {
  if (operation.kind === "remove") return undefined;
  const base = operation.kind === "merge" ? before : undefined;
  const entity: FieldValues = new Map();
  for (const { name } of type.stored) {
    const own = operation.fields.get(name);
    if (base && own?.kind === "Null") continue;
    const value = own ?? base?.get(name);
    if (value !== undefined) entity.set(name, value);
  }
  return entity;
}

/** An entity as the store keeps it. */
export function withoutNulls(entity: Entity): Entity {
  for (const { kind } of entity.values()) {
    if (kind === "Null") return new Map([...entity].filter(([, value]) => value.kind !== "Null"));
  }
  return entity;
}
