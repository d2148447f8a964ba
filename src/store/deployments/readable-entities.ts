import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import type { EntityTable, Layout } from "../tables/layout.js";
import { type Deployment, layoutOf } from "./deployments.js";

/** The entities of a deployment, as readers of its tables need them. */
export interface ReadableEntities {
  readonly layout: Layout;
  /** The types of each interface, by its name. */
  readonly interfaces: ReadonlyMap<string, readonly string[]>;
  /** The types of a table's fields as the schema has them, such as `[Token!]!`, by field. */
  fieldTypes(table: EntityTable): ReadonlyMap<string, string>;
}

/** The entities of a deployment. @throws SchemaError */
export function readableEntities(deployment: Deployment): ReadableEntities {
  const schema = readEntitySchema(deployment.schema);
  return {
    layout: layoutOf(deployment, schema),
    interfaces: schema.implementers,
    fieldTypes: ({ type }) => {
      const found = schema.types.get(type) ?? schema.aggregations.find(({ name }) => name === type);
      return new Map([...(found?.fields.values() ?? [])].map(({ name, text }) => [name, text]));
    },
  };
}
