import { quote } from "../../../base/text/quote.js";
import type { Report } from "../../diagnostics/report.js";
import type { EntityModel } from "../../model/entity-model.js";
import { occupiedNames } from "../../names/entity-names.js";
import type { OwnType } from "./read-own-types.js";

/**
 * Looks up the references of the user's own entity types, and checks their names.
 * @param generated all other types
 * @returns the models, by name
 */
export function resolveOwnTypes(
  own: readonly OwnType[],
  generated: readonly EntityModel[],
  report: Report,
): readonly EntityModel[] {
  const owners = new Map(
    generated.flatMap(({ name }) => occupiedNames(name).map((occupied) => [occupied, name] as const)),
  );
  const known = new Set([...generated, ...own.map(({ entity }) => entity)].map(({ name }) => name));
  for (const { entity, at, references } of own) {
    const taken = occupiedNames(entity.name).find((occupied) => owners.has(occupied));
    const owner = taken === undefined ? undefined : owners.get(taken);
    if (owner !== undefined) {
      const what =
        owner === entity.name ? "is already an entity" : `would share a table or a query with ${owner}`;
      report.error("mapping-schema", at, `the type ${quote(entity.name)} ${what}`, {
        notes: ["every event has an entity type of its name"],
        hint: "give it another name",
      });
    }
    for (const occupied of occupiedNames(entity.name)) owners.set(occupied, entity.name);
    for (const { value, at: place } of references) {
      if (!known.has(value)) report.error("mapping-schema", place, `there is no type ${quote(value)}`);
    }
  }
  return own.map(({ entity }) => entity).sort((a, b) => (a.name < b.name ? -1 : 1));
}
