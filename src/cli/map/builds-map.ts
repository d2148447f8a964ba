import { mapOfManifest } from "../../subgraph/map/manifest-map.js";
import type { MapField, SubgraphMap } from "../../subgraph/map/subgraph-map.js";
import { mapFactsPath, readMapFacts } from "../../subgraph/map-facts.js";
import type { EntitySchema, Field } from "../../subgraph/schema/entity-schema.js";
import type { NamedBuilds } from "../named/named-builds.js";

/**
 * The map of builds, one for each chain, with what their handlers store, if the builds contain this.
 * @param withFields whether to show the fields of entities
 */
export function mapOfBuilds({ builds }: NamedBuilds, title: string, withFields: boolean): SubgraphMap {
  const maps = builds.map(({ build }) => {
    const facts = build.files.get(mapFactsPath);
    const types = [...build.schema.entities.types.keys()];
    return mapOfManifest(build.manifest, title, types, facts && readMapFacts(facts));
  });
  const [schema] = builds.map(({ build }) => build.schema.entities);
  return {
    title,
    groups: maps.flatMap(({ groups }) => groups),
    entities: [...new Set(maps.flatMap(({ entities }) => entities))],
    ...(withFields && schema && { fields: fieldsOf(schema) }),
  };
}

/** The fields of all entity types, without their ids. */
function fieldsOf({ types }: EntitySchema): ReadonlyMap<string, readonly MapField[]> {
  return new Map(
    [...types.values()].map(({ name, fields }) => [
      name,
      [...fields.values()].filter((field) => field.name !== "id").map((field) => fieldOf(field, types)),
    ]),
  );
}

function fieldOf({ name, text, target, derivedFrom }: Field, types: EntitySchema["types"]): MapField {
  const isDerived = derivedFrom !== undefined;
  // A reference to an interface has no separate box.
  const isBox = target !== undefined && types.has(target);
  return { name, type: text, isDerived, ...(isBox && { references: target }) };
}
