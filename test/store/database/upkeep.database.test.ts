import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { openPglite } from "../../../src/store/database/pglite/pglite-database.js";
import { folderUpkeep, memoryUpkeep, type UpkeepLimits } from "../../../src/store/database/pglite/upkeep.js";
import { images } from "../../support/compiler/shared-cache.js";
import { world } from "../../support/database/databases.js";
import { testFolder } from "../../support/folder.js";

const megabyte = 1 << 20;
/** Makes the database check after every statement. */
const always = { look: 0, vacuum: 0 };

/** Repeatedly fills a table with 16 MB and empties it, each time until its space is freed. */
async function fillAndEmpty(database: Database, rounds: number): Promise<void> {
  const size = async (): Promise<unknown> =>
    (await database.query(SQL`select pg_relation_size('kept.t') as size`))[0]?.size;
  for (let round = 0; round < rounds; round++) {
    await database.query(
      SQL`insert into kept.t select n, repeat('x', 1000) from generate_series(1, 16000) n`,
    );
    await database.transaction(async (sql) => {
      await sql.query(SQL`delete from kept.t`);
      await sql.query(SQL`select 1`);
    });
    await expect.poll(size).toBe("0");
  }
}

async function opened(folder: string | undefined, limits: UpkeepLimits): Promise<Database> {
  const database = await openPglite(folder, world, images, limits);
  await database.run(
    SQL`create schema if not exists kept; create table if not exists kept.t (n integer, s text)`,
  );
  return database;
}

/** The size of the log in a folder, in bytes. */
function logIn(folder: string): number {
  const log = join(folder, "postgres", "pg_wal");
  return readdirSync(log).reduce((sum, name) => sum + lstatSync(join(log, name)).size, 0);
}

describe("a database without background processes", () => {
  test("reuses the space of deleted rows and truncates its log", async () => {
    const folder = testFolder();
    const database = await opened(folder, { ...folderUpkeep, ...always, logBytes: 16 * megabyte });
    await fillAndEmpty(database, 5);
    expect(logIn(folder)).toBeLessThan(100 * megabyte);
    await database.close();
    expect(logIn(folder)).toBeLessThan(100 * megabyte);
  });

  test("reuses the space of deleted rows in memory", async () => {
    const database = await opened(undefined, { ...memoryUpkeep, ...always });
    await fillAndEmpty(database, 5);
    const [log] = await database.query(SQL`select sum(size) as size from pg_ls_waldir()`);
    expect(Number(log?.size)).toBeLessThan(100 * megabyte);
    await database.close();
  });

  test("writes a checkpoint after a while, but not if nothing was written", async () => {
    const database = await opened(undefined, { ...memoryUpkeep, ...always, checkpoint: 1 });
    const checkpoint = async (): Promise<unknown> =>
      (await database.query(SQL`select redo_lsn as place from pg_control_checkpoint()`))[0]?.place;
    const first = await checkpoint();
    await database.query(SQL`insert into kept.t select n, 'x' from generate_series(1, 1000) n`);
    await expect.poll(checkpoint).not.toBe(first);
    const second = await checkpoint();
    for (let look = 0; look < 20; look++) await database.query(SQL`select 1`);
    expect(await checkpoint()).toBe(second);
    await database.close();
  });
});
