import type { ReadParked } from "../opening.js";
import { mysqlSinkError } from "./mysql-error.js";
import { stateOf } from "./mysql-sink.js";
import { mysqlOptions } from "./open-mysql.js";
import type { MysqlShape } from "./shape.js";

/**
 * Reads the parked rows of a table in a MySQL or MariaDB database.
 * @throws SinkError
 */
export const readParkedOfMysql: ReadParked<MysqlShape> = async (planned, owner, world) => {
  const options = await mysqlOptions(planned, owner, world);
  const { database } = options;
  try {
    return await stateOf(options).parked(database);
  } catch (error) {
    throw mysqlSinkError(error);
  } finally {
    await database.close();
  }
};
