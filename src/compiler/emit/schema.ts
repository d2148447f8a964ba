import type { EntityField, EntityModel } from "../model/entity-model.js";
import type { Templates } from "./templates.js";

/** Emits `schema.graphql`. */
export function emitSchema(types: readonly EntityModel[], templates: Templates): string {
  return templates.print("schema", {
    types: types.map(({ name, description, immutable, fields }) => ({
      name,
      doc: descriptionText(description, ""),
      immutable,
      fields: fields.map(fieldView),
    })),
  });
}

/** A description with its line break; empty if there is none. */
function descriptionText(description: string | undefined, indent: string): string {
  if (description === undefined) return "";
  if (!description.includes("\n")) return `${indent}${JSON.stringify(description)}\n`;
  const lines = ['"""', ...description.replaceAll('"""', '\\"""').split("\n"), '"""'];
  return lines.map((line) => (line === "" ? "\n" : `${indent}${line}\n`)).join("");
}

function fieldView({ name, description, of, list, nonNull, derivedFrom }: EntityField): object {
  const type = (list ? `[${of.name}!]` : of.name) + (nonNull ? "!" : "");
  const doc = descriptionText(description, "  ");
  return {
    name,
    doc,
    type,
    directive: derivedFrom === undefined ? "" : ` @derivedFrom(field: "${derivedFrom}")`,
  };
}
