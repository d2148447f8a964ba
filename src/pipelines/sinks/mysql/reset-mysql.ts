import { SQL } from "../../../store/database/database.js";
import { resetMark } from "../../state/lineage-guard.js";
import type { ResetSink } from "../opening.js";
import { notMade, sharedTable } from "../tables/check-table.js";
import { mysqlSinkError } from "./mysql-error.js";
import { stateOf } from "./mysql-sink.js";
import { mysqlOptions } from "./open-mysql.js";
import type { MysqlShape } from "./shape.js";
import { columnsOf, tableName } from "./target-table.js";

/** Empties a table of a MySQL or MariaDB database. @throws SinkError */
export const resetMysql: ResetSink<MysqlShape> = async (planned, owner, world, recreates) => {
  const options = await mysqlOptions(planned, owner, world);
  const { database, table } = options;
  try {
    const kept = stateOf(options);
    await kept.prepare(database);
    const other = await kept.otherWriter(database);
    if (other !== undefined) throw sharedTable(table, other);
    const isThere = (await columnsOf(database, table)).size > 0;
    if (isThere && recreates) {
      if (!(await kept.isMade(database))) throw notMade(table);
      // Tables are dropped outside of transactions, so an interrupted reset must leave a mark.
      await kept.keepLineage(database, resetMark);
      await database.transaction(() => kept.begin(database));
      await database.run(SQL`drop table ${tableName(table)}`);
    } else
      await database.transaction(async () => {
        if (isThere) await database.run(SQL`delete from ${tableName(table)}`);
        await kept.begin(database);
      });
  } catch (error) {
    throw mysqlSinkError(error);
  } finally {
    await database.close();
  }
};
