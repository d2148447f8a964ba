import type { StoreReader } from "../../runtime/store/store.js";
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
  /** Those that are shown, in the order in which they were last written. */
  readonly entities: readonly ShownEntity[];
  /** How many there are. */
  readonly count: number;
  /** How many versions of them were written. */
  readonly versions: number;
}

/**
 * Entities by type, in the schema's order; all types unless some are named.
 * @param last how many of each type, all when left out
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

/** The value of a field; null when there is none. */
export function fieldValue(entity: Entity, { name }: Field): StoreValue {
  return entity.get(name) ?? { kind: "Null" };
}
