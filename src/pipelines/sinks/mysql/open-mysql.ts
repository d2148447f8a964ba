import { SQL, type SqlFragment } from "../../../store/database/database.js";
import {
  type MysqlTypeName,
  mysqlTypes,
  type OverrideType,
  overrideType,
} from "../../definition/override-type.js";
import type { Named } from "../../definition/settings.js";
import { SinkError } from "../../state/sink-error.js";
import { databaseAddress } from "../database-address.js";
import type { OpenSink, PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import { mysqlSinkError } from "./mysql-error.js";
import { type MysqlSinkOptions, openMysqlSink } from "./mysql-sink.js";
import type { MysqlShape } from "./shape.js";

/** Opens a table of a MySQL or MariaDB database. @throws SinkError */
export const openMysql: OpenSink<MysqlShape> = async (planned, owner, world) =>
  openMysqlSink(await mysqlOptions(planned, owner, world));

/**
 * Opens the database of a sink, and reads where and how it writes.
 * @throws SinkError
 */
export async function mysqlOptions(
  { name, definition: { settings }, schema }: PlannedSinkOf<MysqlShape>,
  { flow, lineage }: SinkOwner,
  world: SinkWorld,
): Promise<MysqlSinkOptions> {
  const address = databaseAddress(settings.secret_name?.value ?? "", "mysql", world);
  const into = settings.schema?.value ?? databaseIn(address);
  const database = await world.openMysql(address).catch((error: unknown) => {
    throw mysqlSinkError(error);
  });
  return {
    database,
    table: { schema: into, name: settings.table?.value ?? "" },
    schema,
    overrides: overridesOf(settings.schema_override ?? []),
    onConflict: settings.on_conflict?.value === "nothing" ? "nothing" : "update",
    owner: { flow, sink: name },
    lineage,
    evolves: settings.schema_changes?.value === "evolve",
  };
}

/** The database name in a URL. */
function databaseIn(address: string): string {
  const name = decodeURIComponent(new URL(address).pathname.slice(1));
  if (name !== "") return name;
  throw new SinkError(
    "The address of the database names none. Add it: mysql://user:password@host:3306/database",
    false,
  );
}

function overridesOf(given: readonly Named<string | null>[]): ReadonlyMap<string, SqlFragment | null> {
  const chosen = given.map(({ name, value }) => {
    const type = value.value === null ? undefined : overrideType(value.value, mysqlTypes);
    return [name.value, type ? chosenType(type) : null] as const;
  });
  return new Map(chosen);
}

const names: Readonly<Record<MysqlTypeName, SqlFragment>> = {
  char: SQL`char`,
  varchar: SQL`varchar`,
  text: SQL`text`,
  mediumtext: SQL`mediumtext`,
  longtext: SQL`longtext`,
  json: SQL`json`,
  tinyint: SQL`tinyint`,
  smallint: SQL`smallint`,
  int: SQL`int`,
  bigint: SQL`bigint`,
  decimal: SQL`decimal`,
  float: SQL`float`,
  double: SQL`double`,
  boolean: SQL`boolean`,
  date: SQL`date`,
  datetime: SQL`datetime`,
  timestamp: SQL`timestamp`,
  binary: SQL`binary`,
  varbinary: SQL`varbinary`,
  blob: SQL`blob`,
  longblob: SQL`longblob`,
};

function chosenType({ name, sizes: [first, second] }: OverrideType<MysqlTypeName>): SqlFragment {
  const type = names[name];
  if (first === undefined) return type;
  return second === undefined ? SQL`${type}(${first})` : SQL`${type}(${first}, ${second})`;
}
