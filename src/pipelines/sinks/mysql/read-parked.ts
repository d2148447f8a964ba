import { SQL } from "../../../store/database/database.js";
import type { MysqlDatabase } from "../mysql-database.js";
import type { ReadParked } from "../opening.js";
import type { ParkedChange } from "../parking/parked-change.js";
import { KeptPositions } from "./kept-positions.js";
import { mysqlSinkError } from "./mysql-error.js";
import { quoteMysqlText } from "./mysql-text.js";
import { mysqlOptions } from "./open-mysql.js";
import type { MysqlShape } from "./shape.js";

/** Reads what is kept aside of a table in a MySQL or MariaDB database. @throws SinkError */
export const readParkedOfMysql: ReadParked<MysqlShape> = async (planned, owner, world) => {
  const { database, table, schema, owner: whose } = await mysqlOptions(planned, owner, world);
  const kept = new KeptPositions(database, { ...whose, table, columns: schema.columns });
  try {
    return await parkedIn(database, table.schema, kept);
  } catch (error) {
    throw mysqlSinkError(error);
  } finally {
    await database.close();
  }
};

/** The same for what is open; a version that parked nothing has made no table for it. @throws MysqlError */
export async function parkedIn(
  database: MysqlDatabase,
  schema: string,
  kept: KeptPositions,
): Promise<readonly ParkedChange[]> {
  const { rows } = await database.run(
    SQL`select 1 from information_schema.tables
      where table_schema = ${quoteMysqlText(schema)} and table_name = 'graphloom_flows_parked'`,
  );
  return rows.length === 0 ? [] : kept.parked();
}
