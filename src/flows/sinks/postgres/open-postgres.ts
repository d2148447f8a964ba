import type { SqlFragment } from "../../../store/database/database.js";
import { overrideType } from "../../definition/override-type.js";
import type { Named } from "../../definition/settings.js";
import { jdbcAddress } from "../jdbc-address.js";
import { type OpenSink, type SinkWorld, secretOf } from "../opening.js";
import { SinkError } from "../sink.js";
import { chosenType } from "./column-types.js";
import { openPostgresSink, sinkErrorOf } from "./postgres-sink.js";

/** Opens a table of a PostgreSQL database. @throws SinkError */
export const openPostgres: OpenSink<"postgres"> = async ({ name, definition, schema }, { flow }, world) => {
  const { settings } = definition;
  const address = databaseAddress(settings.secret_name?.value ?? "", world);
  const database = await world.openDatabase(address).catch((error: unknown) => {
    throw sinkErrorOf(error);
  });
  return openPostgresSink({
    database,
    table: { schema: settings.schema?.value ?? "public", name: settings.table?.value ?? "" },
    schema,
    overrides: overridesOf(settings.schema_override ?? []),
    onConflict: settings.on_conflict?.value === "nothing" ? "nothing" : "update",
    owner: { flow, sink: name },
  });
};

function overridesOf(given: readonly Named<string | null>[]): ReadonlyMap<string, SqlFragment | null> {
  const chosen = given.map(({ name, value }) => {
    const type = value.value === null ? undefined : overrideType(value.value);
    return [name.value, type ? chosenType(type) : null] as const;
  });
  return new Map(chosen);
}

/** The address of the database that a secret holds. @throws SinkError */
export function databaseAddress(name: string, world: Pick<SinkWorld, "secret">): string {
  const address = jdbcAddress(secretOf(name, world));
  if (address !== undefined) return address;
  throw new SinkError(
    `Secret ${name} is not the address of a database. Its value looks like postgres://user:password@host:5432/database.`,
    false,
  );
}
