import { describe, expect, it, onTestFinished } from "vitest";
import { type Database, SQL, type TransactionOptions } from "../../../src/store/database/database.js";
import { openPostgres } from "../../../src/store/database/postgres/postgres-database.js";
import { describeDatabases, overPort, serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { until } from "../../support/until.js";

const reason = new Error("The client has left.");

function nothingFollows({ fresh }: { fresh(): Promise<Database> }): void {
  it("the database starts no statement after its caller has left, and is usable afterwards.", async () => {
    const database = await fresh();
    const leaving = new AbortController();
    let isSecondAnswered = false;
    const asked = database.transaction(
      async (sql) => {
        await sql.query(SQL`select 1 as one`);
        leaving.abort(reason);
        await sql.query(SQL`select 2 as two`);
        isSecondAnswered = true;
      },
      { snapshot: true, signal: leaving.signal },
    );
    await expect(asked).rejects.toBe(reason);
    expect(isSecondAnswered).toBe(false);
    expect(await database.query(SQL`select '3' as three`)).toEqual([{ three: "3" }]);
  });

  it("the database does not start the work of a caller that has left.", async () => {
    const database = await fresh();
    let isBegun = false;
    const begin = async (): Promise<void> => {
      isBegun = true;
    };
    const asked = database.transaction(begin, { snapshot: true, signal: AbortSignal.abort(reason) });
    await expect(asked).rejects.toBe(reason);
    expect(isBegun).toBe(false);
  });
}

describeDatabases("a transaction", nothingFollows);
describe("a transaction, over a port", () => nothingFollows(overPort()));

describe.skipIf(postgresMissing !== undefined)("a running statement on PostgreSQL", () => {
  /** A database with one connection, and the number of its statements that sleep. */
  const opened = async () => {
    const address = await serverDatabase();
    const [database, other] = [
      await openPostgres(address, world, { connections: 1 }),
      await openPostgres(address, world),
    ];
    onTestFinished(async () => {
      await database.close();
      await other.close();
    });
    const sleeping = async (): Promise<number> => {
      const rows = await other.query(SQL`select 1 as one from pg_stat_activity
        where datname = current_database() and state = 'active' and query like '%pg_sleep(600%'
          and pid <> pg_backend_pid()`);
      return rows.length;
    };
    return { database, sleeping };
  };

  const kinds: readonly (readonly [string, TransactionOptions])[] = [
    ["of a transaction", { snapshot: true, statementTimeout: 900_000, isMeasured: true }],
    ["that is a transaction by itself", { snapshot: true, isSingle: true, statementTimeout: 900_000 }],
  ];
  it.each(kinds)("%s ends when its caller leaves, and its connection is free.", async (_, options) => {
    const { database, sleeping } = await opened();
    const leaving = new AbortController();
    const asked = database.transaction((sql) => sql.query(SQL`select pg_sleep(600)::text as slept`), {
      ...options,
      signal: leaving.signal,
    });
    const failed = expect(asked).rejects.toBe(reason);
    await until(async () => (await sleeping()) === 1);
    leaving.abort(reason);
    await failed;
    expect(await sleeping()).toBe(0);
    // The only connection answers, and nothing that was meant for the first statement ends the next ones.
    for (let turn = 0; turn < 20; turn += 1) {
      expect(await database.query(SQL`select pg_sleep(0.01)::text as slept`)).toHaveLength(1);
    }
  });

  it("ends although its caller leaves in the moment in which it is sent.", async () => {
    const { database, sleeping } = await opened();
    for (let turn = 0; turn < 20; turn += 1) {
      const leaving = new AbortController();
      const asked = database.transaction(
        async (sql) => {
          const both = [sql.query(SQL`select 1 as one`), sql.query(SQL`select pg_sleep(600)::text as slept`)];
          leaving.abort(reason);
          await Promise.all(both);
        },
        { snapshot: true, signal: leaving.signal },
      );
      await expect(asked).rejects.toBe(reason);
    }
    expect(await sleeping()).toBe(0);
  });
});
