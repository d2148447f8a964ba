import type { Database, SqlFragment, SqlText } from "../../../src/store/database/database.js";

/** The same database. @param note called with each statement within a transaction */
export function notingDatabase(
  database: Database,
  note: (statement: SqlFragment, given: readonly SqlText[]) => void,
): Database {
  return {
    ...database,
    transaction: (work, options) =>
      database.transaction(
        (sql) =>
          work({
            ...sql,
            query: (statement, given = [], more = {}) => {
              note(statement, given);
              return sql.query(statement, given, more);
            },
          }),
        options,
      ),
  };
}
