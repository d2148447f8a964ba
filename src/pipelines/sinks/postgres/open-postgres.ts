import type { Database, Sql } from "../../../store/database/database.js";
import { overrideType, postgresTypes } from "../../definition/override-type.js";
import { databaseAddress } from "../database-address.js";
import type { PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import { chosenTypes, tableAccess } from "../tables/table-access.js";
import type { TableOptions } from "../tables/table-dialect.js";
import { chosenType } from "./column-types.js";
import { sinkErrorOf } from "./postgres-error.js";
import { postgresTables } from "./postgres-table.js";
import type { PostgresShape } from "./shape.js";

/**
 * Opens the database of a sink, and reads where and how it writes.
 * @throws SinkError
 */
export async function postgresOptions(
  { name, definition: { settings }, schema }: PlannedSinkOf<PostgresShape>,
  { flow, lineage }: SinkOwner,
  world: SinkWorld,
): Promise<TableOptions<Sql, Database>> {
  const address = databaseAddress(settings.secret_name?.value ?? "", "postgres", world);
  const database = await world.openDatabase(address).catch((error: unknown) => {
    throw sinkErrorOf(error);
  });
  return {
    database,
    table: { schema: settings.schema?.value ?? "public", name: settings.table?.value ?? "" },
    schema,
    overrides: chosenTypes(settings.schema_override, (text) => {
      const type = overrideType(text, postgresTypes);
      return type && chosenType(type);
    }),
    onConflict: settings.on_conflict?.value === "nothing" ? "nothing" : "update",
    owner: { flow, sink: name },
    lineage,
    evolves: settings.schema_changes?.value === "evolve",
  };
}

/** How the table of a PostgreSQL sink is reached. */
export const postgresAccess = tableAccess(postgresTables, postgresOptions);
