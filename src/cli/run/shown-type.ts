import type { StoreReader } from "../../runtime/store/store.js";
import type { Entity, StoreValue } from "../../subgraph/schema/entity.js";
import type { EntitySchema, Field } from "../../subgraph/schema/entity-schema.js";

/** An entity to show. */
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
  /** The entities to show, in the order in which they were last written. */
  readonly entities: readonly ShownEntity[];
  /** The number of entities. */
  readonly count: number;
  /** The number of versions written. */
  readonly versions: number;
}

/**
 * Entities by type, in the schema's order. Includes all types unless some are named.
 * @param last the number of entities of each type; all if absent
 */
export async function shownTypes(
  schema: EntitySchema,
  store: StoreReader,
  wanted: readonly string[],
  last: number | undefined,
): Promise<readonly ShownType[]> {
  const types = [...schema.types.values()].filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const counts = await store.counts();
  const shown: ShownType[] = [];
  for (const { name, fields } of types) {
    const stored = [...fields.values()].filter(({ derivedFrom }) => derivedFrom === undefined);
    const current = await store.current(name, last);
    shown.push({
      name,
      fields: stored.toSorted((a, b) => Number(b.name === "id") - Number(a.name === "id")),
      entities: current.map(({ entity, from }) => ({ block: from, entity })),
      count: counts.get(name)?.entities ?? 0,
      versions: counts.get(name)?.versions ?? 0,
    });
  }
  return shown;
}

/** The value of a field; null if absent. */
export function fieldValue(entity: Entity, { name }: Field): StoreValue {
  return entity.get(name) ?? { kind: "Null" };
}
