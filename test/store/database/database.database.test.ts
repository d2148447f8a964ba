import { beforeEach, describe, expect, test } from "vitest";
import {
  boolean,
  bytes,
  columns,
  computed,
  integer,
  nullable,
  texts,
  time,
} from "../../../src/store/database/columns.js";
import type { Database, Sql } from "../../../src/store/database/database.js";
import { DatabaseError, SQL } from "../../../src/store/database/database.js";
import {
  describeDatabases,
  onPglite,
  overPort,
  type TestDatabases,
  world,
} from "../../support/database/databases.js";

describeDatabases("a database", whatADatabaseDoes);
test("PGlite counts the time in which the process does not compute as waiting", async () => {
  const database = await onPglite().fresh();
  const waited = (work: (sql: Sql) => Promise<unknown>): Promise<number> =>
    database.transaction(
      async (sql) => {
        const began = world.now();
        await work(sql);
        return (sql.waited?.() ?? 0) / (world.now() - began);
      },
      { snapshot: true, isMeasured: true },
    );
  const computing = await waited((sql) => sql.query(SQL`select count(*) from generate_series(1, 300000)`));
  expect(computing).toBeLessThan(await waited(() => world.sleep(100)));
});
describe("a database, over a port", () => whatADatabaseDoes(overPort()));

function whatADatabaseDoes({ fresh, provider }: TestDatabases): void {
  let database: Database;
  beforeEach(async () => {
    database = await fresh();
    await database.run(SQL`create schema s; create table s.t (id integer primary key, at timestamptz)`);
  });

  test("the database reports which database it is", () => {
    expect(database.provider).toBe(provider);
  });

  test("the database returns values in PostgreSQL's text form", async () => {
    const [row] = await database.query(
      SQL`select 12345678901234567890.123456789 as number, '\\xFF00'::bytea as bytes, true as flag, false as no,
        9223372036854775807 as large, timestamptz '2020-01-02 03:04:05.000006+01' as time,
        array['a b', null, '"', 'NULL'] as list, '{"a": [1]}'::jsonb as json, int4range(1, null) as range,
        null::text as nothing, date '2020-01-02' as day, array['\\x01'::bytea] as blobs, 0.1::float8 as double`,
    );
    expect(row).toEqual({
      number: "12345678901234567890.123456789",
      bytes: "\\xff00",
      flag: "t",
      no: "f",
      large: "9223372036854775807",
      time: "2020-01-02 02:04:05.000006+00",
      list: '{"a b",NULL,"\\"","NULL"}',
      json: '{"a": [1]}',
      range: "[1,)",
      nothing: null,
      day: "2020-01-02",
      blobs: '{"\\\\x01"}',
      double: "0.1",
    });
  });

  test("the database reads each column as a value of its kind", async () => {
    const kinds = columns({
      count: computed(SQL`9007199254740991::bigint`, integer),
      isOn: computed(SQL`true`, boolean),
      createdAt: computed(SQL`timestamptz '2020-01-02 03:04:05.678901+01'`, time),
      secret: computed(SQL`'\\xFF00'::bytea`, bytes),
      domains: computed(SQL`array['a b', 'c']`, texts),
      nothing: computed(SQL`null::timestamptz`, nullable(time)),
    });
    const [row = {}] = await database.query(SQL`select ${kinds.list}`);
    expect(kinds.read(row)).toEqual({
      count: Number.MAX_SAFE_INTEGER,
      isOn: true,
      createdAt: new Date("2020-01-02T02:04:05.678Z"),
      secret: Buffer.from([255, 0]),
      domains: ["a b", "c"],
      nothing: null,
    });
  });

  test("the database accepts values in PostgreSQL's text form", async () => {
    const [row] = await database.query(
      SQL`select $1::numeric + 1 as number, $2::bytea = '\\x00ff' as bytes, $3::boolean as flag, $4::text as text,
        $5::bigint as large, $6::text[] as list, $7::timestamptz as time, $8::jsonb as json, $9::text is null as nothing`,
      [
        "1e30",
        "\\x00ff",
        "t",
        "é'\"\\ \u{1f600}",
        "-9223372036854775808",
        '{a,"b,c",NULL}',
        "2020-01-02 03:04:05Z",
        "[1]",
        null,
      ],
    );
    expect(row).toEqual({
      number: `1${"0".repeat(29)}1`,
      bytes: "t",
      flag: "t",
      text: "é'\"\\ \u{1f600}",
      large: "-9223372036854775808",
      list: '{a,"b,c",NULL}',
      time: "2020-01-02 03:04:05+00",
      json: "[1]",
      nothing: "t",
    });
  });

  test("the database orders strings by their bytes", async () => {
    const rows = await database.query(
      SQL`select x from unnest(array['b', 'a', 'B', 'é', 'z', '_']) x order by x`,
    );
    expect(rows.map(({ x }) => x)).toEqual(["B", "_", "a", "b", "z", "é"]);
  });

  test("the database reports an error with its code and stays usable", async () => {
    const refused = database.query(SQL`select 1 from s.nothing`);
    await expect(refused).rejects.toThrow(DatabaseError);
    await expect(refused).rejects.toMatchObject({
      code: "42P01",
      message: 'relation "s.nothing" does not exist',
    });
    await expect(database.query(SQL`select $1::integer`, ["x"])).rejects.toMatchObject({ code: "22P02" });
    await expect(database.query(SQL`select idd from s.t`)).rejects.toMatchObject({
      code: "42703",
      hint: 'Perhaps you meant to reference the column "t.id".',
    });
    expect(await database.query(SQL`select 1 as one`)).toEqual([{ one: "1" }]);
  });

  describe("a transaction", () => {
    const insert = SQL`insert into s.t (id) values ($1::integer)`;
    const ids = async () => (await database.query(SQL`select id from s.t order by id`)).map(({ id }) => id);

    test("commits a transaction that succeeds", async () => {
      const result = await database.transaction(async (sql) => {
        await sql.query(insert, ["1"]);
        await sql.query(insert, ["2"]);
        return "done";
      });
      expect(result).toBe("done");
      expect(await ids()).toEqual(["1", "2"]);
    });

    test("rolls back a transaction that throws, and throws the same error", async () => {
      const broken = database.transaction(async (sql) => {
        await sql.query(insert, ["1"]);
        throw new RangeError("no");
      });
      await expect(broken).rejects.toThrow(RangeError);
      expect(await ids()).toEqual([]);
    });

    test("rolls back a transaction that ignores a failed statement, and reports it", async () => {
      const swallowed = database.transaction(async (sql) => {
        await sql.query(insert, ["1"]);
        await sql.query(insert, ["1"]).catch(() => undefined);
      });
      await expect(swallowed).rejects.toMatchObject({ code: "25P02" });
      expect(await ids()).toEqual([]);
    });

    test("commits a transaction whose failed statement was rolled back to a savepoint", async () => {
      await database.transaction(async (sql) => {
        await sql.query(insert, ["1"]);
        await sql.run(SQL`savepoint here`);
        await sql.query(insert, ["1"]).catch(() => undefined);
        await sql.run(SQL`rollback to savepoint here`);
      });
      expect(await ids()).toEqual(["1"]);
    });

    test("rolls back a transaction when a statement fails", async () => {
      const minded = database.transaction(async (sql) => {
        await sql.query(insert, ["1"]);
        await sql.query(insert, ["1"]);
      });
      await expect(minded).rejects.toMatchObject({ code: "23505" });
      expect(await ids()).toEqual([]);
    });

    test("refuses statements in a transaction that has ended", async () => {
      const leaked = await database.transaction(async (sql) => sql);
      await expect(leaked.query(SQL`select 1`)).rejects.toThrow("the transaction has ended");
    });

    test("a read-only transaction sees one state and cannot write", async () => {
      const writing = database.transaction((sql) => sql.query(insert, ["1"]), { snapshot: true });
      await expect(writing).rejects.toMatchObject({ code: "25006" });
    });

    test("keeps concurrent transactions apart", async () => {
      const one = async (id: number) =>
        database.transaction(async (sql) => {
          await sql.query(insert, [String(id)]);
          const [found] = await sql.query(SQL`select count(*) as n from s.t where id = $1::integer`, [
            String(id),
          ]);
          if (id % 2 === 1) throw new Error("odd");
          return found?.n;
        });
      const results = await Promise.allSettled(Array.from({ length: 20 }, (_, id) => one(id)));
      expect(results.map(({ status }) => status === "fulfilled")).toEqual(
        Array.from({ length: 20 }, (_, id) => id % 2 === 0),
      );
      expect(await ids()).toHaveLength(10);
    });
  });

  test("the database delivers notifications to listeners once they are committed", async () => {
    const heard: string[] = [];
    const stop = await database.listen("chan nel", (payload) => heard.push(payload));
    await database.transaction(async (sql) => {
      await sql.query(SQL`select pg_notify('chan nel', 'one')`);
    });
    await database.query(SQL`select pg_notify('other', 'x')`);
    await expect.poll(() => heard).toEqual(["one"]);
    await stop();
    await database.query(SQL`select pg_notify('chan nel', 'two')`);
    await database.query(SQL`select 1`);
    expect(heard).toEqual(["one"]);
  });
}
