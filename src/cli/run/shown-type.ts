import type { Store } from "../../runtime/store/store.js";
import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntitySchema, Field } from "../../subgraph/schema/entity-schema.js";

/** An entity that is shown. */
export interface ShownEntity {
  /** The block it was last written in. */
  readonly block: number;
  readonly entity: Entity;
}

/** The entities of a type after a run. */
export interface ShownType {
  readonly name: string;
  /** Stored fields: id first, then in the schema's order. */
  readonly fields: readonly Field[];
  /** In the order of their last write. */
  readonly entities: readonly ShownEntity[];
  /** How many versions of them were written. */
  readonly versions: number;
}

/** Entities by type, in the schema's order; all types unless some are named. */
export async function shownTypes(
  schema: EntitySchema,
  store: Store,
  wanted: readonly string[],
): Promise<readonly ShownType[]> {
  const types = [...schema.types.values()].filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const head = await store.head();
  const versions = await store.changes(-1, head?.number ?? -1);
  const counts = await store.counts();
  const byType = new Map(types.map(({ name }) => [name, [] as ShownEntity[]]));
  for (const { type, entity, from, to } of versions) {
    if (to === undefined) byType.get(type)?.push({ block: from, entity });
  }
  return types.map(({ name, fields }) => {
    const stored = [...fields.values()].filter(({ derivedFrom }) => derivedFrom === undefined);
    return {
      name,
      fields: stored.toSorted((a, b) => Number(b.name === "id") - Number(a.name === "id")),
      entities: byType.get(name) ?? [],
      versions: counts.get(name) ?? 0,
    };
  });
}

/** The value of a field; null when there is none. */
export function fieldValue(entity: Entity, { name }: Field): StoreValue {
  return entity.get(name) ?? { kind: "Null" };
}

/** The last few of a list, all of it when no number is given. */
export function lastOf<T>(list: readonly T[], number: number | undefined): readonly T[] {
  return number === undefined ? list : list.slice(Math.max(0, list.length - number));
}
