import type { SqlFragment } from "../../../store/database/database.js";
import { overrideType, postgresTypes } from "../../definition/override-type.js";
import type { Named } from "../../definition/settings.js";
import { databaseAddress } from "../database-address.js";
import type { OpenSink, PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import { chosenType } from "./column-types.js";
import { openPostgresSink, type PostgresSinkOptions, sinkErrorOf } from "./postgres-sink.js";
import type { PostgresShape } from "./shape.js";

/** Opens a table of a PostgreSQL database. @throws SinkError */
export const openPostgres: OpenSink<PostgresShape> = async (planned, owner, world) =>
  openPostgresSink(await postgresOptions(planned, owner, world));

/**
 * Opens the database of a sink, and reads where and how it writes.
 * @throws SinkError
 */
export async function postgresOptions(
  { name, definition: { settings }, schema }: PlannedSinkOf<PostgresShape>,
  { flow, lineage }: SinkOwner,
  world: SinkWorld,
): Promise<PostgresSinkOptions> {
  const address = databaseAddress(settings.secret_name?.value ?? "", "postgres", world);
  const database = await world.openDatabase(address).catch((error: unknown) => {
    throw sinkErrorOf(error);
  });
  return {
    database,
    table: { schema: settings.schema?.value ?? "public", name: settings.table?.value ?? "" },
    schema,
    overrides: overridesOf(settings.schema_override ?? []),
    onConflict: settings.on_conflict?.value === "nothing" ? "nothing" : "update",
    owner: { flow, sink: name },
    lineage,
    evolves: settings.schema_changes?.value === "evolve",
  };
}

function overridesOf(given: readonly Named<string | null>[]): ReadonlyMap<string, SqlFragment | null> {
  const chosen = given.map(({ name, value }) => {
    const type = value.value === null ? undefined : overrideType(value.value, postgresTypes);
    return [name.value, type ? chosenType(type) : null] as const;
  });
  return new Map(chosen);
}
