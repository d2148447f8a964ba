import { SQL, type SqlFragment } from "../../../store/database/database.js";
import {
  type MysqlTypeName,
  mysqlTypes,
  type OverrideType,
  overrideType,
} from "../../definition/override-type.js";
import { SinkError } from "../../state/sink-error.js";
import { databaseAddress } from "../database-address.js";
import type { MysqlDatabase } from "../mysql-database.js";
import type { PlannedSinkOf, SinkOwner, SinkWorld } from "../opening.js";
import { chosenTypes, tableAccess } from "../tables/table-access.js";
import type { TableOptions } from "../tables/table-dialect.js";
import { mysqlSinkError } from "./mysql-error.js";
import { mysqlTables } from "./mysql-table.js";
import type { MysqlShape } from "./shape.js";

/**
 * Opens the database of a sink, and reads where and how it writes.
 * @throws SinkError
 */
async function mysqlOptions(
  { name, definition: { settings }, schema }: PlannedSinkOf<MysqlShape>,
  { flow, lineage }: SinkOwner,
  world: SinkWorld,
): Promise<TableOptions<MysqlDatabase, MysqlDatabase>> {
  const address = databaseAddress(settings.secret_name?.value ?? "", "mysql", world);
  const into = settings.schema?.value ?? databaseIn(address);
  const database = await world.openMysql(address).catch((error: unknown) => {
    throw mysqlSinkError(error);
  });
  return {
    database,
    table: { schema: into, name: settings.table?.value ?? "" },
    schema,
    overrides: chosenTypes(settings.schema_override, (text) => {
      const type = overrideType(text, mysqlTypes);
      return type && chosenType(type);
    }),
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

/** How the table of a MySQL sink is reached. */
export const mysqlAccess = tableAccess(mysqlTables, mysqlOptions);

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
