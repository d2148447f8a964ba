import { SQL } from "../../../store/database/database.js";
import { resetMark } from "../lineage-guard.js";
import type { ResetSink } from "../opening.js";
import { notMade, sharedTable } from "../tables/check-table.js";
import { KeptPositions } from "./kept-positions.js";
import { mysqlSinkError } from "./mysql-error.js";
import { mysqlOptions } from "./open-mysql.js";
import type { MysqlShape } from "./shape.js";
import { columnsOf, tableName } from "./target-table.js";

/** Empties a table of a MySQL or MariaDB database. @throws SinkError */
export const resetMysql: ResetSink<MysqlShape> = async (planned, owner, world, recreates) => {
  const { database, table, schema, owner: names } = await mysqlOptions(planned, owner, world);
  try {
    const kept = new KeptPositions(database, { ...names, table, columns: schema.columns });
    await kept.prepare();
    const other = await kept.otherWriter();
    if (other !== undefined) throw sharedTable(table, other);
    const isThere = (await columnsOf(database, table)).size > 0;
    if (isThere && recreates) {
      if (!(await kept.isMade())) throw notMade(table);
      // A table is dropped outside of transactions, so that an interrupted reset has to be told.
      await kept.keepLineage(resetMark);
      await kept.begin();
      await database.run(SQL`drop table ${tableName(table)}`);
    } else
      await database.transaction(async () => {
        if (isThere) await database.run(SQL`delete from ${tableName(table)}`);
        await kept.beginWithin();
      });
  } catch (error) {
    throw mysqlSinkError(error);
  } finally {
    await database.close();
  }
};
