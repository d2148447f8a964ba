import type { Entity } from "../../subgraph/schema/entity.js";
import type { EntityType } from "../../subgraph/schema/entity-schema.js";
import type { BlockReads } from "./block-reads.js";
import { EntityError } from "./entity-error.js";
import { sortById } from "./entity-ids.js";
import type { Overlay } from "./overlay.js";
import { keysOf } from "./references.js";

/** A query for related entities, and the layers to search. */
export interface RelatedQuestion {
  readonly owner: EntityType;
  readonly id: string;
  readonly field: string;
  readonly typeOf: (name: string) => EntityType | undefined;
  readonly reads: BlockReads;
  /** The pending changes that are not in the store yet. */
  readonly overlays: readonly Overlay[];
  /** The current state of an entity. */
  readonly current: (type: EntityType, id: string) => Entity | undefined;
}

/** The current entities of a derived field, sorted by id. @throws Fault, EntityError */
export function findRelated(question: RelatedQuestion): readonly Entity[] {
  const { id, reads, overlays, current } = question;
  const { target, by } = targetOf(question);
  const found = reads.related(target, by, id);
  const touched = new Set(overlays.flatMap((overlay) => touchedBy(overlay, target)));
  if (touched.size === 0) return found;
  const entities = new Map(found.map((entity) => [idOf(entity), entity]));
  for (const key of touched) {
    const mentioned = entities.has(key) || overlays.some((overlay) => mentions(overlay, target, key, by, id));
    const entity = mentioned ? current(target, key) : undefined;
    if (entity && keysOf(entity.get(by)).includes(id)) entities.set(key, entity);
    else entities.delete(key);
  }
  return sortById(entities.values(), target.idKind, idOf);
}

function targetOf({ owner, field, typeOf }: RelatedQuestion): {
  readonly target: EntityType;
  readonly by: string;
} {
  const place = `${owner.name}.${field}`;
  const definition = owner.fields.get(field);
  if (!definition) throw new EntityError(`the schema has no field ${place}`);
  const { derivedFrom: by, target: name } = definition;
  if (by === undefined || name === undefined) {
    throw new EntityError(
      `${place} is not a derived field, so it cannot be looked up; read it like any other field`,
    );
  }
  const target = typeOf(name);
  if (!target) {
    throw new EntityError(`${place} is derived from the interface ${name}, which a mapping cannot look up`);
  }
  return { target, by };
}

function touchedBy(overlay: Overlay, { name }: EntityType): string[] {
  return [...overlay.ofType(name)].map(([id]) => id);
}

/** Whether an overlay itself sets the field of an entity to an id. */
function mentions(overlay: Overlay, { name }: EntityType, key: string, by: string, id: string): boolean {
  const operation = overlay.get(name, key);
  if (!operation || operation.kind === "remove") return false;
  return keysOf(operation.fields.get(by)).includes(id);
}

function idOf(entity: Entity): string {
  return keysOf(entity.get("id"))[0] ?? "";
}
