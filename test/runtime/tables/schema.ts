import type { Compilation } from "../../../src/exports/index.js";
import type { EntitySchema } from "../../../src/subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { plainEntity, type Ran } from "../harness.js";

function schemaOf({ files }: Compilation): EntitySchema {
  return readEntitySchema(String(files.get("build/schema.graphql")));
}

/** The types of fields as in the schema; undefined for a missing field. */
export function typesOf(
  built: Compilation,
  type: string,
  fields: readonly string[],
): readonly (string | undefined)[] {
  const found = schemaOf(built).types.get(type);
  return fields.map((field) => found?.fields.get(field)?.text);
}

/** The ids of the entities in a derived field. */
export async function derivedIds(
  built: Compilation,
  ran: Ran,
  type: string,
  field: string,
  id: string,
): Promise<readonly unknown[]> {
  const list = schemaOf(built).types.get(type)?.fields.get(field);
  if (!list?.target || !list.derivedFrom) throw new Error(`${type}.${field} is not derived`);
  const found = await ran.store.related(list.target, list.derivedFrom, id);
  return found.map((entity) => plainEntity(entity).id);
}
