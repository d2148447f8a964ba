import { type Database, DatabaseError } from "../../../src/store/database/database.js";

/** A database whose disk is full at the end of a transaction, on command. */
export function fullWhen(database: Database, isFull: () => boolean): Database {
  return {
    provider: database.provider,
    query: (...args) => database.query(...args),
    run: (script) => database.run(script),
    transaction: (work, options) =>
      database.transaction(async (sql) => {
        const result = await work(sql);
        if (isFull()) throw new DatabaseError("no space left", { code: "53100" });
        return result;
      }, options),
    listen: (...args) => database.listen(...args),
    close: () => database.close(),
  };
}
