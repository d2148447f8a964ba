import { type MysqlDatabase, MysqlError } from "../../../src/pipelines/sinks/mysql-database.js";

/**
 * A connection that is lost after some statements, as that of a process that is killed: what its transaction has done is
 * rolled back.
 * @param left whether there may be another statement
 */
export function cutMysql(database: MysqlDatabase, left: () => boolean): MysqlDatabase {
  let isCut = false;
  const run: MysqlDatabase["run"] = async (statement) => {
    if (!isCut && !left()) {
      isCut = true;
      await database.close();
    }
    if (isCut) throw new MysqlError("the test has cut the connection");
    return database.run(statement);
  };
  return {
    run,
    transaction: async (work) => {
      await run("start transaction");
      const result = await work();
      await run("commit");
      return result;
    },
    close: async () => {
      if (!isCut) await database.close();
    },
  };
}
