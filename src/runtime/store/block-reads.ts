import type { Entity } from "../../subgraph/schema/entity.js";
import type { EntityType } from "../../subgraph/schema/entity-schema.js";
import { Fault } from "../errors.js";
import type { EntityLookup } from "./store.js";

/**
 * Reads of a store as of one head, for synchronous readers. A read without an answer yet throws a `Fault`. A store with
 * synchronous reads is read every time, and nothing is cached.
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
    const known = this.known(type, id);
    if (known === undefined) throw new Fault(() => this.load(type, [id]), { type, id });
    return known ?? undefined;
  }

  /** The entity as known without a read; `null` if it does not exist, `undefined` if that is unknown. */
  known(type: string, id: string): Entity | null | undefined {
    if (this.#store.getNow) return this.#store.getNow(type, id) ?? null;
    const ofType = this.#entities.get(type);
    return ofType?.has(id) ? (ofType.get(id) ?? null) : this.#store.peek?.(type, id);
  }

  /** The entities whose field refers to an id, sorted by their own id. @throws Fault */
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
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      if (ofType.has(id)) continue;
      const known = this.#store.peek?.(type, id);
      // Keep it, because the store may forget it before the next read.
      if (known === undefined) missing.push(id);
      else ofType.set(id, known ?? undefined);
    }
    if (missing.length === 0) return;
    const found = await this.#getMany(type, missing);
    for (const id of missing) ofType.set(id, found.get(id));
  }

  async #getMany(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, Entity>> {
    if (this.#store.getMany) return this.#store.getMany(type, ids);
    const found = await Promise.all(ids.map(async (id) => [id, await this.#store.get(type, id)] as const));
    return new Map(found.flatMap(([id, entity]) => (entity ? [[id, entity]] : [])));
  }
}
