import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/hosting/engine.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { keptOpen, startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { until } from "../../support/until.js";

const databases = onEither();
let database: Database;
let server: TestPlatform;
let isStarting = false;
let stalls = false;
let free: number | undefined;
let logged: { readonly level: number; readonly msg: string; readonly err?: unknown }[] = [];
beforeEach(async () => {
  [isStarting, stalls, logged, free] = [false, false, [], undefined];
  database = await databases.fresh();
  const query: Database["query"] = (statement, parameters) =>
    stalls ? new Promise(() => undefined) : database.query(statement, parameters);
  server = await startPlatform(database, {
    database: { ...keptOpen(database), query, freeBytes: () => free },
    isStarting: () => isStarting,
    logger: pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
  });
});
afterEach(() => server.close());

const ready = async (): Promise<readonly [number, string]> => {
  const { status, json } = await server.ask(`${server.address}/ready`, { key: undefined });
  return [status, json.detail ?? json.status];
};

describe("/ready", () => {
  it("returns 503 until the server has started", async () => {
    isStarting = true;
    expect(await ready()).toEqual([503, "The server is starting."]);
    isStarting = false;
    expect(await ready()).toEqual([200, "ready"]);
  });

  it("returns 503 without delay for a database that stalls", async () => {
    stalls = true;
    expect(await ready()).toEqual([503, "The database does not answer."]);
  });

  it("returns 503 for a read-only database", async () => {
    await database.run(SQL`set default_transaction_read_only = on`);
    try {
      expect(await ready()).toEqual([503, expect.stringMatching(/^The database is read-only/)]);
    } finally {
      await database.run(SQL`set default_transaction_read_only = off`);
    }
    expect(await ready()).toEqual([200, "ready"]);
  });

  it("returns 503 when the disk of the data folder is full, even while nothing is written", async () => {
    free = 3_500_000;
    expect(await ready()).toEqual([503, "The database's disk is full: 3 MB are left. Free some space."]);
    free = 2 ** 30;
    expect(await ready()).toEqual([200, "ready"]);
  });

  it("names a table that another session has locked, as a warning", async () => {
    if (database.provider === "pglite") return;
    await database.run(SQL`create table public.item (id integer)`);
    try {
      await database.transaction(async (sql) => {
        await sql.run(SQL`lock table public.item in access exclusive mode`);
        const late = database.query(SQL`select count(*) as n from public.item`);
        late.catch(() => undefined);
        const warnings = await until(async () => {
          const { status, json } = await server.ask(`${server.address}/ready`, { key: undefined });
          expect(status).toBe(200);
          return json.warnings;
        });
        expect(warnings).toEqual([
          expect.stringMatching(
            /^A statement has waited for a lock on public\.item since .* process \d+ \(graphloom\)/,
          ),
        ]);
      });
    } finally {
      await database.run(SQL`drop table public.item`);
    }
  });

  it("names a chain without new blocks, as a warning", async () => {
    const engine: Engine = server.hosting.double;
    engine.idleChains = () => ["The node of mainnet has had no new block since noon"];
    const { status, json } = await server.ask(`${server.address}/ready`, { key: undefined });
    expect([status, json.warnings]).toEqual([200, ["The node of mainnet has had no new block since noon."]]);
  });

  it("returns 503 while indexing cannot write because the disk is full", async () => {
    const engine: Engine = server.hosting.double;
    engine.unwritable = () => "could not extend file: No space left on device";
    expect(await ready()).toEqual([
      503,
      "The database is not writable: could not extend file: No space left on device",
    ]);
  });
});

describe("the server's log", () => {
  it("reports expected failures in one line: missing features as information, an unready server as a warning", async () => {
    const body = { definition: { sources: {}, transforms: {}, sinks: {} } };
    expect((await server.ask("/pipelines/validate", { method: "POST", body })).status).toBe(501);
    isStarting = true;
    await ready();
    const said = logged.filter(({ msg }) => /not available on this server|starting/.test(msg));
    expect(said).toMatchObject([
      { level: 30, msg: expect.stringContaining("not available on this server") },
      { level: 40, msg: "The server is starting." },
    ]);
    expect(said.filter(({ err }) => err)).toEqual([]);
    expect(logged.filter(({ level }) => level >= 50)).toEqual([]);
  });
});
