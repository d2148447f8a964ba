import type { Entity } from "../../subgraph/schema/entity.js";
import type { EntityType } from "../../subgraph/schema/entity-schema.js";
import { Fault } from "../errors.js";
import type { EntityLookup } from "./store.js";

/**
 * Reads of a store as of one head, for synchronous readers: a read without an answer yet is a `Fault`. A
 * store with synchronous reads is asked every time, and nothing is cached.
 */
export class BlockReads {
  readonly #store: EntityLookup;
  readonly #entities = new Map<string, Map<string, Entity | undefined>>();
  readonly #related = new Map<string, readonly Entity[]>();

  constructor(store: EntityLookup) {
    this.#store = store;
  }

  /** @throws Fault */
  get(type: string, id: string): Entity | undefined {
    if (this.#store.getNow) return this.#store.getNow(type, id);
    const known = this.#entities.get(type);
    if (known?.has(id)) return known.get(id);
    throw new Fault(() => this.load(type, [id]));
  }

  /** What is known without a read: an entity, that it does not exist (`null`), or nothing (`undefined`). */
  known(type: string, id: string): Entity | null | undefined {
    if (this.#store.getNow) return this.#store.getNow(type, id) ?? null;
    const ofType = this.#entities.get(type);
    return ofType?.has(id) ? (ofType.get(id) ?? null) : undefined;
  }

  /** Entities whose field refers to an id, sorted by their own id. @throws Fault */
  related(type: EntityType, field: string, id: string): readonly Entity[] {
    if (this.#store.relatedNow) return this.#store.relatedNow(type.name, field, id);
    const key = `${type.name}.${field} ${id}`;
    const known = this.#related.get(key);
    if (known) return known;
    throw new Fault(async () => {
      this.#related.set(key, await this.#store.related(type.name, field, id));
    });
  }

  /** Loads entities that are not cached yet. */
  async load(type: string, ids: readonly string[]): Promise<void> {
    if (this.#store.getNow) return;
    const ofType = this.#entities.get(type) ?? new Map<string, Entity | undefined>();
    this.#entities.set(type, ofType);
    const missing = ids.filter((id) => !ofType.has(id));
    const found = await Promise.all(missing.map((id) => this.#store.get(type, id)));
    for (const [index, id] of missing.entries()) ofType.set(id, found[index]);
  }
}
