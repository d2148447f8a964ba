import { type AddressInfo, connect, createServer, Socket } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Row, SQL } from "../../../src/store/database/database.js";
import { openPostgres } from "../../../src/store/database/postgres/postgres-database.js";
import { databaseErrorOf } from "../../../src/store/database/postgres/postgres-errors.js";
import { openDatabase } from "../../../src/store/open.js";
import { createDatabase, world } from "../../support/database/databases.js";
import {
  type PostgresServer,
  postgresMissing,
  startPostgres,
} from "../../support/database/postgres-server.js";
import { whileWaiting } from "../../support/database/while-waiting.js";

describe("a server that cannot be reached", () => {
  test.each([
    [
      "postgres://me:secret@127.0.0.1:1/db",
      "ECONNREFUSED",
      "Start the server, or correct the host and port in the address.",
    ],
    [
      "postgres://me:secret@localhost/db?host=/nowhere",
      "ENOENT",
      "Start the server, or correct the path of its socket",
    ],
    [
      "postgres://me:secret@no.such.host.invalid/db",
      "no.such.host.invalid",
      "Correct the host in the address",
    ],
  ])("reports that %s cannot be reached, with a hint", async (address, message, hint) => {
    const opened = openDatabase(address, world);
    await expect(opened).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`^the database cannot be reached: .*${message}`)),
      hint: expect.stringContaining(hint),
      code: undefined,
    });
    await expect(opened).rejects.not.toThrow("secret");
  });

  test("reports that an invalid address cannot be reached", async () => {
    await expect(openDatabase("postgres://[", world)).rejects.toThrow("cannot be reached");
  });
});

test.each([
  [
    "53100",
    "could not extend file",
    "The database's disk is full. Free some space, then start again. Committed data is safe.",
  ],
  ["28P01", "password authentication failed", "Correct the user and password in the address."],
  ["53300", "too many connections", "The server has no free connections"],
])("the error code %s comes with a hint", (code, message, hint) => {
  const error = databaseErrorOf(Object.assign(new Error(message), { code }));
  expect(error).toMatchObject({ code, message, hint: expect.stringContaining(hint) });
});

describe.skipIf(postgresMissing !== undefined)(
  `a server${postgresMissing ? `: ${postgresMissing}` : ""}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.stop());

    test("reports that the server lacks the database", async () => {
      await expect(openDatabase(server.address("nothing"), world)).rejects.toMatchObject({
        code: "3D000",
        hint: "Create the database, or correct its name at the end of the address.",
      });
    });

    test.each([
      [
        "latin",
        "encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'",
        "the database latin has the encoding LATIN1 and sorts text by its bytes, but must have the encoding UTF8 and the collation C",
      ],
      [
        "english",
        "encoding 'UTF8' locale_provider icu icu_locale 'en-US' locale 'C'",
        "the database english has the encoding UTF8 and sorts text by the rules of a language, but must have the encoding UTF8 and the collation C",
      ],
    ])("refuses a database with unsuitable settings: %s", async (name, how, message) => {
      await createDatabase(server, name, `template template0 ${how}`);
      await expect(openDatabase(server.address(name), world)).rejects.toMatchObject({
        message,
        hint: expect.stringContaining("template template0 encoding 'UTF8' lc_collate 'C'"),
      });
    });

    test("stops a statement that takes too long", async () => {
      await createDatabase(server, "slow");
      const database = await openDatabase(server.address("slow"), world);
      const slow = database.transaction((sql) => sql.query(SQL`select pg_sleep(30)`), {
        statementTimeout: 200,
      });
      await expect(slow).rejects.toMatchObject({ code: "57014" });
      expect(await database.query(SQL`select 1 as one`)).toEqual([{ one: "1" }]);
      await database.close();
    });

    test("reads by a single statement in the same way, and leaves no time limit behind", async () => {
      await createDatabase(server, "single");
      const database = await openDatabase(server.address("single"), world);
      const limit = SQL`select current_setting('statement_timeout') as time, pg_current_xact_id_if_assigned() as writes`;
      const single = (statement = limit): Promise<readonly Row[]> =>
        database.transaction((sql) => sql.query(statement), {
          snapshot: true,
          isSingle: true,
          statementTimeout: 200,
        });
      expect(await single()).toEqual([{ time: "200ms", writes: null }]);
      await expect(single(SQL`select pg_sleep(30)`)).rejects.toMatchObject({ code: "57014" });
      expect(await database.query(limit)).toMatchObject([{ time: "0" }]);
      await single();
      expect(await database.transaction((sql) => sql.query(limit))).toMatchObject([{ time: "0" }]);
      const second = database.transaction(
        async (sql) => {
          await sql.query(limit);
          return sql.query(limit);
        },
        { snapshot: true, isSingle: true },
      );
      await expect(second).rejects.toThrow("the single statement was sent before");
      await database.close();
    });

    test("sees rows that others have committed while it waited, with any default isolation of the server", async () => {
      await createDatabase(server, "strict");
      const main = await openDatabase(server.address("postgres"), world);
      await main.run(SQL`alter database strict set default_transaction_isolation = 'serializable'`);
      await main.close();
      const database = await openDatabase(server.address("strict"), world);
      await database.run(SQL`create table t (id integer, n integer); insert into t values (1, 1)`);
      const counts = await whileWaiting(
        database,
        (held) => held.query(SQL`update t set n = 2`),
        () =>
          database.transaction(async (sql) => {
            await sql.query(SQL`select from t where id = 1 for update`);
            return sql.query(SQL`select n from t`);
          }),
      );
      expect(counts).toEqual([{ n: "2" }]);
      await database.close();
    });

    test("listens for notifications although the first attempt failed", async () => {
      await createDatabase(server, "closed");
      const main = await openDatabase(server.address("postgres"), world);
      const database = await openDatabase(server.address("closed"), world);
      const heard: string[] = [];
      const listen = (): Promise<unknown> => database.listen("news", (payload) => heard.push(payload));
      await main.run(SQL`alter database closed allow_connections false`);
      await expect(listen()).rejects.toMatchObject({ code: "55000" });
      await main.run(SQL`alter database closed allow_connections true`);
      await listen();
      await database.query(SQL`select pg_notify('news', 'here')`);
      await expect.poll(() => heard).toEqual(["here"]);
      await database.close();
      await main.close();
    });

    test("sends the end of a read transaction together with the next statement, without a timer", async () => {
      await createDatabase(server, "at_once");
      const stopped = { ...world, sleep: () => new Promise<void>(() => undefined) };
      const database = await openPostgres(server.address("at_once"), stopped, { connections: 1 });
      const read = (): Promise<unknown> =>
        database.transaction((sql) => sql.query(SQL`select 1 as one`), { snapshot: true });
      await read();
      expect(await database.query(SQL`select 2 as two`)).toEqual([{ two: "2" }]);
      await read();
      await database.run(SQL`create table after_a_read (n integer)`);
      await database.close();
    });

    test("sends the start of a transaction together with its first statement", async () => {
      await createDatabase(server, "together");
      const { turns, address, close } = await overhear(server.address("together"));
      const database = await openPostgres(address, world, { connections: 1 });
      const read = (): Promise<unknown> =>
        database.transaction((sql) => sql.query(SQL`select 1 as one`), { snapshot: true });
      const sendings = vi.spyOn(Socket.prototype, "_writev");
      turns.length = 0;
      expect(await read()).toEqual([{ one: "1" }]);
      // The server has not received the end of the transaction yet.
      expect(turns).toEqual(["sent", "answered"]);
      expect(sendings.mock.calls.map(([chunks]) => chunks.length)).toEqual([2]);
      sendings.mockRestore();
      // Nobody waits for the end, but it precedes later statements on the connection.
      await read();
      await database.run(SQL`create table after_reading (n integer)`);
      await database.query(SQL`insert into after_reading values (1)`);
      await read();
      const written = database.transaction((sql) =>
        sql.query(SQL`update after_reading set n = 2 returning n`),
      );
      expect(await written).toEqual([{ n: "2" }]);
      await database.close();
      await close();
    });

    test("reuses the plan of a statement with fixed text, even after its table changes", async () => {
      await createDatabase(server, "fixed");
      const database = await openPostgres(server.address("fixed"), world, { connections: 1 });
      const ask = (id: string): Promise<unknown> =>
        database.query(SQL`select name from things where id = $1::integer`, [id], { isFixed: true });
      await database.run(
        SQL`create table things (id integer, name text); insert into things values (1, 'one')`,
      );
      expect([await ask("1"), await ask("2")]).toEqual([[{ name: "one" }], []]);
      await expect(ask("x")).rejects.toMatchObject({ code: "22P02" });
      await database.run(SQL`alter table things add column more text; create index on things (id)`);
      expect(await ask("1")).toEqual([{ name: "one" }]);
      await database.run(
        SQL`drop table things; create table things (name text, id integer); insert into things values ('two', 2)`,
      );
      expect(await ask("2")).toEqual([{ name: "two" }]);
      expect(await database.query(SQL`select count(*)::integer as n from pg_prepared_statements`)).toEqual([
        { n: "1" },
      ]);
      await database.close();
    });

    test("sends one statement at a time on each connection", async () => {
      await createDatabase(server, "shared");
      const database = await openDatabase(server.address("shared"), world);
      const open = new Map<unknown, number>();
      let most = 0;
      const send = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
      const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(async function (
        this: pg.Client,
        ...args: unknown[]
      ) {
        // Callers that send their statements at once do not wait.
        if (this.pipeline) return send.apply(this, args);
        open.set(this, (open.get(this) ?? 0) + 1);
        most = Math.max(most, open.get(this) ?? 0);
        try {
          return await send.apply(this, args);
        } finally {
          open.set(this, (open.get(this) ?? 0) - 1);
        }
      });
      try {
        await database.transaction(async (sql) => {
          const asked = ["1", "2", "3"].map((one) => sql.query(SQL`select $1 as one`, [one]));
          expect((await Promise.all(asked)).flat()).toEqual([{ one: "1" }, { one: "2" }, { one: "3" }]);
        });
        const failing = database.transaction(async (sql) => {
          void sql.query(SQL`select pg_sleep(0.1)`).catch(() => undefined);
          throw new Error("changed its mind");
        });
        await expect(failing).rejects.toThrow("changed its mind");
        await database.listen("first", () => undefined);
        const channels = ["second", "third"];
        const forget = await Promise.all(channels.map((name) => database.listen(name, () => undefined)));
        await Promise.all(forget.map((stop) => stop()));
        expect(most).toBe(1);
      } finally {
        spy.mockRestore();
        await database.close();
      }
    });

    test("reconnects statements and listeners after the server closes its connections", async () => {
      await createDatabase(server, "cut");
      const database = await openDatabase(server.address("cut"), world);
      const heard: string[] = [];
      await database.listen("news", (payload) => heard.push(payload));
      const main = await openDatabase(server.address("postgres"), world);
      const running = database.query(SQL`select pg_sleep(30)`);
      const cut = expect(running).rejects.toMatchObject({ code: "57P01" });
      await expect
        .poll(() =>
          main.query(
            SQL`select 1 from pg_stat_activity where query like '%pg_sleep(30)%' and datname = 'cut'`,
          ),
        )
        .toHaveLength(1);
      await main.query(SQL`select pg_terminate_backend(pid) from pg_stat_activity where datname = 'cut'`);
      await cut;
      expect(await database.query(SQL`select 1 as one`)).toEqual([{ one: "1" }]);
      await expect.poll(() => heard).toEqual([""]);
      await database.query(SQL`select pg_notify('news', 'again')`);
      await expect.poll(() => heard).toEqual(["", "again"]);
      await database.close();
      await main.close();
    });
  },
);

/** Relays traffic between a client and a server, and records whose turn it was. */
async function overhear(
  address: string,
): Promise<{ turns: string[]; address: string; close: () => Promise<void> }> {
  const url = new URL(address);
  const turns: string[] = [];
  const passing = createServer((client) => {
    const behind = connect(`${url.searchParams.get("host")}/.s.PGSQL.${url.port || 5432}`);
    client.on("data", (data) => {
      if (turns.at(-1) !== "sent") turns.push("sent");
      behind.write(data);
    });
    behind.on("data", (data) => {
      if (turns.at(-1) !== "answered") turns.push("answered");
      client.write(data);
    });
    client.on("close", () => behind.destroy());
    behind.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => passing.listen(0, "127.0.0.1", resolve));
  const { port } = passing.address() as AddressInfo;
  return {
    turns,
    address: `postgres://postgres@127.0.0.1:${port}${url.pathname}`,
    close: () => new Promise((resolve) => passing.close(() => resolve())),
  };
}
