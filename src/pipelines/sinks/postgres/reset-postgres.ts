import { SQL } from "../../../store/database/database.js";
import { quoteNames } from "../../../store/database/quote.js";
import type { ResetSink } from "../opening.js";
import { notMade, sharedTable } from "../tables/check-table.js";
import { postgresOptions } from "./open-postgres.js";
import { type PostgresSinkOptions, sinkErrorOf, stateOf } from "./postgres-sink.js";
import type { PostgresShape } from "./shape.js";
import { columnsOf } from "./target-table.js";

/** Empties a table of a PostgreSQL database. @throws SinkError */
export const resetPostgres: ResetSink<PostgresShape> = async (planned, owner, world, recreates) =>
  resetTables(await postgresOptions(planned, owner, world), recreates);

/** Empties the tables of a sink, in one transaction, and closes the database. @throws SinkError */
export async function resetTables(options: PostgresSinkOptions, recreates: boolean): Promise<void> {
  const { database, table, beside } = options;
  try {
    const kept = stateOf(options);
    await kept.prepare(database);
    await database.transaction(async (sql) => {
      const other = await kept.otherWriter(sql);
      if (other !== undefined) throw sharedTable(table, other);
      for (const one of [table, ...(beside ? [beside.table] : [])]) {
        const isThere = (await columnsOf(sql, one.schema, one.name)).size > 0;
        if (!isThere) continue;
        if (recreates && !(await kept.isMade(sql, one))) throw notMade(one);
        const name = quoteNames(one.schema, one.name);
        await sql.query(recreates ? SQL`drop table ${name}` : SQL`delete from ${name}`);
      }
      await kept.begin(sql);
    });
  } catch (error) {
    throw sinkErrorOf(error);
  } finally {
    await database.close();
  }
}
