import type { Entity, EntityChange, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntitySchema, EntityType } from "../../subgraph/schema/entity-schema.js";
import type { Block } from "../chain/chain.js";
import type { PoiEvent } from "../poi/events.js";
import { BlockReads } from "./block-reads.js";
import { knownFields, setMistake, type UnknownFields, writeMistake } from "./check-entity.js";
import { immutableMessage } from "./check-writes.js";
import { EntityError, ImmutableError } from "./entity-error.js";
import { canonicalId, generatedId, idValue } from "./entity-ids.js";
import { applied, Overlay, type PendingOperation, withoutNulls } from "./overlay.js";
import { readBack } from "./read-back.js";
import { findRelated } from "./related.js";
import { showValue } from "./show-value.js";
import type { EntityLookup } from "./store.js";

const nothing: EntityLookup = {
  get: async () => undefined,
  getNow: () => undefined,
  related: async () => [],
  relatedNow: () => [],
};

export interface EntityCacheOptions {
  readonly unknownFields?: UnknownFields;
  /** The reads of another cache of the same block. */
  readonly reads?: BlockReads;
  /** Whether to note what handlers do, for proofs of indexing. */
  readonly notesEvents?: boolean;
}

/**
 * Entities as the handlers of one block see them, in three layers: those of the store, those written by earlier
 * handlers of the block, and those written by the running handler. Create one cache for every block. Call `keep` or
 * `discard` before the next run of a handler.
 */
export class EntityCache {
  readonly #schema: EntitySchema;
  readonly #store: EntityLookup;
  readonly #block: Pick<Block, "number" | "timestamp">;
  readonly #unknownFields: UnknownFields;
  readonly #reads: BlockReads;
  readonly #written = new Overlay();
  readonly #handler = new Overlay();
  /** The number of ids generated in this block: by handlers that have ended, and including the running one. */
  #idsKept = 0;
  #ids = 0;
  #order = 0;
  #stored: ReadonlyMap<string, number> = new Map();
  /** Immutable entities that handlers have read. */
  readonly #asked = new Set<string>();
  /** What the running handler, or the one that has ended last, has done. */
  #events: PoiEvent[] | undefined;

  /**
   * @param store as of the previous block; nothing else may write to it until this block is committed
   * @param block the number of the block and its time in Unix seconds
   */
  constructor(
    schema: EntitySchema,
    store: EntityLookup,
    block: Pick<Block, "number" | "timestamp">,
    { unknownFields = "refuse", reads = new BlockReads(store), notesEvents = false }: EntityCacheOptions = {},
  ) {
    this.#schema = schema;
    this.#store = store;
    this.#block = block;
    this.#unknownFields = unknownFields;
    this.#reads = reads;
    this.#events = notesEvents ? [] : undefined;
  }

  /** Preloads entities that handlers are likely to read, so that those reads do not fault. */
  async preload(type: string, ids: readonly string[]): Promise<void> {
    const found = this.#type(type);
    await this.#reads.load(
      type,
      ids.map((id) => canonicalId(found, id)),
    );
  }

  /** The current state of an entity. @throws Fault, EntityError */
  get(type: string, id: string): Entity | undefined {
    const found = this.#type(type);
    const key = canonicalId(found, id);
    if (found.immutable) this.#asked.add(`${type} ${key}`);
    return this.#current(found, key);
  }

  /**
   * The fields of an entity that were written in this block, without fields that only the store has.
   * @throws EntityError
   */
  getInBlock(type: string, id: string): Entity | undefined {
    const found = this.#type(type);
    const key = canonicalId(found, id);
    return this.#applyOwn(found, key, undefined);
  }

  /** The entities of a derived field, sorted by id. @throws Fault, EntityError */
  related(type: string, id: string, field: string): readonly Entity[] {
    const owner = this.#type(type);
    return findRelated({
      owner,
      id: canonicalId(owner, id),
      field,
      typeOf: (name) => this.#schema.types.get(name),
      reads: this.#reads,
      overlays: [this.#written, this.#handler],
      current: (target, key) => this.#current(target, key),
    });
  }

  /**
   * Merges fields into an entity. Some mistakes only count if they are still there when the block ends; see `changes`.
   * @throws Fault; EntityError when the schema does not allow the fields
   */
  set(type: string, id: string, data: Entity): void {
    const found = this.#type(type);
    const key = this.#keyFor(found, id);
    const place = `${type}[${key}]`;
    const isGenerated = found.timeseries || id === "auto";
    const given = data.get("id");
    if (given && !isGenerated) checkOwnId(found, key, given);
    const fields = knownFields(found, place, data, this.#unknownFields);
    this.#setOwnFields(found, key, fields);
    // The fields are merged with later ones.
    this.#events?.push({ kind: "set", type, id: key, data: new Map(fields) });
    const isWhole = setMistake(found, place, fields) === undefined;
    this.#handler.add(type, key, { kind: "merge", fields, order: this.#order++ });
    if (isWhole) return;
    const mistake = setMistake(found, place, this.#current(found, key) ?? new Map());
    if (mistake !== undefined) throw new EntityError(mistake);
  }

  /** Removes an entity. Removing one that does not exist is not an error. @throws EntityError */
  remove(type: string, id: string): void {
    this.#events?.push({ kind: "remove", type, id });
    const found = this.#type(type);
    const key = canonicalId(found, id);
    this.#handler.add(type, key, { kind: "remove", order: this.#order++ });
  }

  /** How many entities of each type the last handler that succeeded has set or removed. */
  get stored(): ReadonlyMap<string, number> {
    return this.#stored;
  }

  /** The number of operations so far, including dropped ones. */
  get operations(): number {
    return this.#order;
  }

  /** Creates a cache of the same block that does not see what was written in the block. */
  apart(): EntityCache {
    const other = new EntityCache(this.#schema, this.#store, this.#block, {
      unknownFields: this.#unknownFields,
      reads: this.#reads,
    });
    other.#ids = this.#ids;
    other.#events = this.#events;
    return other;
  }

  /**
   * Creates an empty cache of the same block, which sees neither the store nor what was written in the block, for a
   * file data source. Its generated ids continue those of this cache.
   */
  alone(): EntityCache {
    const unknownFields = this.#unknownFields;
    const other = new EntityCache(this.#schema, nothing, this.#block, { unknownFields });
    other.#idsKept = this.#idsKept;
    other.#ids = this.#idsKept;
    return other;
  }

  /** Treats the writes of another cache's running handler as writes of this cache's running handler. */
  adopt(other: EntityCache): void {
    for (const [type, id, operation] of other.#handler) {
      this.#handler.add(type, id, { ...operation, order: this.#order++ });
    }
    this.#ids = other.#ids;
  }

  /** The running handler succeeded: its writes become writes of the block. */
  keep(): void {
    const stored = new Map<string, number>();
    for (const [type, id, operation] of this.#handler) {
      this.#written.add(type, id, operation);
      stored.set(type, (stored.get(type) ?? 0) + 1);
    }
    this.#stored = stored;
    this.#handler.clear();
    this.#idsKept = this.#ids;
  }

  /** The running handler failed: its writes are dropped. As in graph-node, no other entity gets the ids that it has used. */
  fail(): void {
    this.#handler.clear();
    this.#idsKept = this.#ids;
  }

  /** The running handler faulted, or was only tried out: it counts as if it had not run. */
  discard(): void {
    this.#handler.clear();
    this.#ids = this.#idsKept;
    this.takeEvents();
  }

  /** What handlers have done since the last call, in order, including handlers that failed. */
  takeEvents(): readonly PoiEvent[] {
    return this.#events?.splice(0) ?? [];
  }

  /**
   * The changes of the block, in the order of the last write of each entity, without writes that change nothing. Call
   * it after all handlers have ended. For immutable entities of earlier blocks, only the net change of the whole block
   * counts. Removing such an entity without reading it has no effect.
   * @throws ImmutableError when such an entity is changed; EntityError when one is removed that handlers have read,
   * or removed and then set again, and when an entity has a value that the store cannot keep
   */
  async changes(): Promise<readonly EntityChange[]> {
    await this.#loadWritten();
    const changes: { readonly change: EntityChange; readonly order: number }[] = [];
    for (const [type, id, operation] of this.#written) {
      const found = this.#type(type);
      const before = this.#reads.get(type, id);
      const change = this.#changeOf(found, id, before, operation);
      if (change) changes.push({ change, order: operation.order });
    }
    return changes.sort((a, b) => a.order - b.order).map(({ change }) => change);
  }

  async #loadWritten(): Promise<void> {
    const loads = [...this.#schema.types.keys()].map((type) =>
      this.#reads.load(
        type,
        [...this.#written.ofType(type)].map(([id]) => id),
      ),
    );
    await Promise.all(loads);
  }

  #changeOf(
    type: EntityType,
    id: string,
    before: Entity | undefined,
    operation: PendingOperation,
  ): EntityChange | undefined {
    const entity = applied(type, before, operation);
    if (before && entity && isStored(before, entity)) return undefined;
    if (before && type.immutable) {
      if (entity ? type.skipDuplicates : !this.#asked.has(`${type.name} ${id}`)) return undefined;
      const message = immutableMessage(type.name, id, entity ? "set" : "remove", this.#block.number);
      // As in graph-node, only the first of these is a deterministic failure.
      throw operation.kind === "merge"
        ? new ImmutableError(message, operation.order)
        : new EntityError(message);
    }
    if (entity) return { kind: "set", type: type.name, id, entity: storable(type, id, entity) };
    return before && { kind: "remove", type: type.name, id };
  }

  #current(type: EntityType, id: string): Entity | undefined {
    const needsBase = [this.#written, this.#handler].every(
      (overlay) => (overlay.get(type.name, id)?.kind ?? "merge") === "merge",
    );
    return this.#applyOwn(type, id, needsBase ? this.#reads.get(type.name, id) : undefined);
  }

  #applyOwn(type: EntityType, id: string, base: Entity | undefined): Entity | undefined {
    const written = this.#written.get(type.name, id);
    const entity = written ? applied(type, base, written) : base;
    const handler = this.#handler.get(type.name, id);
    return handler ? applied(type, entity, handler) : entity;
  }

  #keyFor(type: EntityType, id: string): string {
    if (id !== "auto" && !type.timeseries) return canonicalId(type, id);
    return generatedId(type, this.#block.number, this.#ids++);
  }

  #setOwnFields(type: EntityType, key: string, fields: Map<string, StoreValue>): void {
    fields.set("id", idValue(type, key));
    if (type.timeseries) {
      fields.set("timestamp", { kind: "Timestamp", value: this.#block.timestamp * 1_000_000n });
    }
  }

  #type(name: string): EntityType {
    const type = this.#schema.types.get(name);
    if (type) return type;
    const what = this.#schema.implementers.has(name) ? "is an interface" : "is not an entity type";
    throw new EntityError(`${name} ${what}; the schema has ${[...this.#schema.types.keys()].join(", ")}`);
  }
}

/** @throws EntityError when a handler sets the field `id` to anything but the id with which it saves the entity */
function checkOwnId(type: EntityType, key: string, given: StoreValue): void {
  const own = idValue(type, key);
  if (sameValue(given, own)) return;
  const place = `${type.name}[${key}].id`;
  throw new EntityError(
    given.kind === own.kind
      ? `${place} is ${showValue(given)}, but the entity is saved with the id ${key}`
      : `${place} must be of type ${type.fields.get("id")?.text}, but was given the ${given.kind} ${showValue(given)}`,
  );
}

/** Whether the store would return the entity as it does now, even where it shortens a number. */
function isStored(before: Entity, entity: Entity): boolean {
  if (sameEntity(before, entity)) return true;
  const kept = readBack(entity);
  return kept !== entity && sameEntity(before, kept);
}

/** @throws EntityError when the store cannot keep the entity */
function storable(type: EntityType, id: string, entity: Entity): Entity {
  const kept = withoutNulls(entity);
  const mistake = writeMistake(type, `${type.name}[${id}]`, kept);
  if (mistake !== undefined) throw new EntityError(mistake);
  return kept;
}

/** Whether two entities have the same fields with the same values. */
function sameEntity(a: Entity, b: Entity): boolean {
  if (a.size !== b.size) return false;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined || !sameValue(value, other)) return false;
  }
  return true;
}

/** Whether two values are of one kind and equal. */
function sameValue(a: StoreValue, b: StoreValue): boolean {
  if (a.kind === "Array") {
    if (b.kind !== "Array" || a.value.length !== b.value.length) return false;
    return a.value.every((item, index) => {
      const other = b.value[index];
      return other !== undefined && sameValue(item, other);
    });
  }
  if (a.kind === "BigDecimal") {
    return (
      b.kind === "BigDecimal" && a.value.digits === b.value.digits && a.value.exponent === b.value.exponent
    );
  }
  if (a.kind === "Null" || b.kind === "Null") return a.kind === b.kind;
  return a.kind === b.kind && a.value === b.value;
}
