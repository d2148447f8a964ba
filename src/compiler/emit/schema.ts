import type { EntityField, EntityModel } from "../model/entity-model.js";
import type { Templates } from "./templates.js";

/** Emits `schema.graphql`. */
export function emitSchema(types: readonly EntityModel[], templates: Templates): string {
  return templates.print("schema", {
    types: types.map(({ name, immutable, fields }) => ({ name, immutable, fields: fields.map(fieldView) })),
  });
}

function fieldView({ name, of, list, nonNull, derivedFrom }: EntityField): object {
  const type = (list ? `[${of.name}!]` : of.name) + (nonNull ? "!" : "");
  return { name, type, directive: derivedFrom === undefined ? "" : ` @derivedFrom(field: "${derivedFrom}")` };
}
