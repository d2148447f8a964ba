import type { Operations } from "../../api/contract.js";
import type { Sql } from "../../store/database/database.js";
import { layOut } from "../../store/tables/lay-out.js";
import { versionColumn } from "../../store/tables/versions-sql.js";
import type { EntitySchema } from "../../subgraph/schema/entity-schema.js";
import { refusalOf } from "./check-on-engine.js";
import { storedBuild } from "./stored-build.js";

/** Entities of a version as the API shows them. */
export type Entities = Operations["listWebhookEntities"]["answer"]["data"]["entities"];

/**
 * The tables that a deployment will have once it is indexed, all empty.
 * @throws Problem `unprocessable` for a schema that cannot be read, which some engines notice late; DatabaseError
 */
export async function plannedEntities(sql: Sql, deployment: string): Promise<Entities> {
  try {
    const read = await storedBuild(sql, deployment);
    return read ? planEntities(read.schema.entities) : [];
  } catch (error) {
    throw refusalOf(error);
  }
}

function planEntities(schema: EntitySchema): Entities {
  const { tables } = layOut(schema, "planned");
  return tables.map((table) => {
    const { name: versions, sqlType } = versionColumn(table);
    const columns = [
      { name: "vid", data_type: "bigint" },
      { name: versions, data_type: sqlType },
      ...table.columns.map((column) => ({
        name: column.name,
        data_type: `${column.sqlType.replace(/^"planned"\./, "")}${column.list ? "[]" : ""}`,
      })),
    ];
    return { name: table.name, rows: "0", columns };
  });
}
