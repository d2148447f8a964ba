import { queryNames } from "../../base/text/query-names.js";
import type { ModelType, QueryModel } from "./model.js";

/** A field of `Query` that reads entities. */
export interface RootField {
  readonly name: string;
  readonly kind: "one" | "many" | "fulltext";
  /** The name of the entity type, aggregation or interface. */
  readonly type: string;
}

/**
 * The fields of `Query` that read entities, in graph-node's order. Of several fields with one name, the first counts.
 */
export function rootFields(model: QueryModel): ReadonlyMap<string, RootField> {
  const found = new Map<string, RootField>();
  for (const field of allRootFields(model)) if (!found.has(field.name)) found.set(field.name, field);
  return found;
}

/**
 * The fields of `Query` that repeat an earlier name. Clients see them but cannot query them. Keyed by position among
 * all fields, in ascending order.
 */
export function repeatedFields(model: QueryModel): ReadonlyMap<number, RootField> {
  const seen = new Set<string>();
  const found = new Map<number, RootField>();
  for (const [position, field] of allRootFields(model).entries()) {
    if (seen.has(field.name)) found.set(position, field);
    seen.add(field.name);
  }
  return found;
}

function allRootFields(model: QueryModel): readonly RootField[] {
  const all = [...model.types.values()];
  return [
    ...all.filter(({ kind }) => kind === "entity").flatMap(oneAndMany),
    ...all.filter(({ kind }) => kind === "interface").flatMap(oneAndMany),
    ...all.filter(({ kind }) => kind === "aggregation").map(many),
    ...model.fulltext.map(({ name, entity }): RootField => ({ name, kind: "fulltext", type: entity })),
  ];
}

function oneAndMany(type: ModelType): readonly RootField[] {
  return [{ name: queryNames(type.name).singular, kind: "one", type: type.name }, many(type)];
}

function many({ name }: ModelType): RootField {
  return { name: queryNames(name).plural, kind: "many", type: name };
}
