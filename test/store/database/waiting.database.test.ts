import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Database, SQL, type Sql } from "../../../src/store/database/database.js";
import { lockSentence } from "../../../src/store/database/lock-sentence.js";
import { openPostgres } from "../../../src/store/database/postgres/postgres-database.js";
import { serverDatabase, world } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { type WatchedTime, watchedTime } from "../../support/database/watched-time.js";
import { untilWaiting } from "../../support/database/while-waiting.js";
import { until } from "../../support/until.js";

describe.skipIf(postgresMissing !== undefined)("the watch over the server's processes", () => {
  let address: string | undefined;
  let database: Database;
  let other: Database;
  let time: WatchedTime;

  beforeEach(async () => {
    address ??= await serverDatabase();
    time = watchedTime();
    database = await openPostgres(address, time);
    other = await openPostgres(address, world);
    await other.run(SQL`drop table if exists item; create table item (id integer)`);
  });
  afterEach(async () => {
    await other.close();
    await database.close();
  });

  const measured = (work: (sql: Sql) => Promise<unknown>): Promise<number | undefined> =>
    database.transaction(
      async (sql) => {
        await work(sql);
        return sql.waited?.();
      },
      { snapshot: true, isMeasured: true },
    );

  it("counts the time in which a transaction waits for a lock as waiting", async () => {
    let waited: Promise<number | undefined> | undefined;
    await other.transaction(async (sql) => {
      await sql.run(SQL`lock table item in access exclusive mode`);
      waited = measured((asked) => asked.query(SQL`select count(*) as n from item`));
      await untilWaiting(other, waited);
      await time.pass(7_000);
      await time.pass(13_000);
    });
    expect(await waited).toBe(20_000);
  });

  it("does not count the time in which a transaction computes or is idle as waiting", async () => {
    const waited = await measured(async (sql) => {
      const computing = sql.query(SQL`select count(*) as n from generate_series(1, 2000000)`);
      await time.pass(7_000);
      await computing;
      await time.pass(13_000);
    });
    expect(waited).toBe(0);
  });

  it("counts most of the time as waiting while the server is slow to answer it", async () => {
    const waited = await measured(async (sql) => {
      await sql.query(SQL`select 1 as one`);
      time.lookTakes = 1_000;
      await time.pass(10_000);
      time.lookTakes = 0;
    });
    expect(waited).toBeGreaterThan(9_000);
  });

  it("says which table is locked, since when, and by which process", async () => {
    await other.transaction(async (sql) => {
      await sql.run(SQL`lock table item in access exclusive mode`);
      const [holder] = await sql.query(SQL`select pg_backend_pid()::text as pid`);
      const late = other.query(SQL`select count(*) as n from item`);
      const waits = await until(async () => {
        time.skip(1_000);
        const found = await database.lockWaits?.();
        return found && found.length > 0 && found;
      });
      expect(waits).toEqual([
        {
          schema: "public",
          table: "item",
          since: expect.any(Number),
          holders: [{ pid: Number(holder?.pid), program: "graphloom" }],
        },
      ]);
      const [wait] = waits;
      expect(wait && lockSentence({ ...wait, since: 0 })).toBe(
        `A statement has waited for a lock on public.item since 1970-01-01T00:00:00.000Z. It is held by the database's process ${holder?.pid} (graphloom): wait for the end of its transaction, or end it with pg_terminate_backend.`,
      );
      late.catch(() => undefined);
    });
    await until(async () => {
      time.skip(1_000);
      return (await database.lockWaits?.())?.length === 0;
    });
  });
});
