import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { openDatabase } from "../../../src/store/open.js";
import { images } from "../../support/compiler/shared-cache.js";
import { world } from "../../support/database/databases.js";
import { testFolder } from "../../support/folder.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const open = (path = folder): Promise<Database> => openDatabase(path, world, images);
const mark = () => JSON.parse(readFileSync(join(folder, "graphloom-database.json"), "utf8"));

describe("a database in a folder", () => {
  test("creates a database in a folder, keeps it, and refuses to open it twice at once", async () => {
    const path = join(folder, "not", "there yet");
    const database = await open(path);
    await database.run(SQL`create table t (n integer); insert into t values (1)`);
    await expect(open(path)).rejects.toMatchObject({
      message: `the database in ${path} is in use by process ${process.pid}`,
      hint: "Stop that process, or choose another folder.",
    });
    await database.close();
    await expect(database.query(SQL`select 1`)).rejects.toThrow("the database is closed");
    const again = await open(path);
    expect(await again.query(SQL`select n from t`)).toEqual([{ n: "1" }]);
    await again.close();
    expect(readdirSync(path).sort()).toEqual(["graphloom-database.json", "postgres"]);
  });

  test("reports the free space on its disk, and nothing once the folder is gone", async () => {
    const database = await open();
    expect(database.freeBytes?.()).toBeGreaterThan(0);
    await database.close();
    rmSync(folder, { recursive: true });
    expect(database.freeBytes?.()).toBeUndefined();
  });

  test("closes the database after the statements sent before have finished", async () => {
    const database = await open();
    const asked = [1, 2, 3].map((n) => database.query(SQL`select ${n} as n`));
    const inside = database.transaction(async (sql) => {
      await sql.run(SQL`create table t (n integer)`);
      return sql.query(SQL`select 4 as n`);
    });
    const closed = database.close();
    await expect(database.query(SQL`select 1`)).rejects.toThrow("the database is closed");
    expect((await Promise.all([...asked, inside])).flat()).toEqual([
      { n: "1" },
      { n: "2" },
      { n: "3" },
      { n: "4" },
    ]);
    await closed;
    await database.close();
  });

  test("creates a database again if its first creation never finished", async () => {
    mkdirSync(join(folder, "postgres"));
    writeFileSync(join(folder, "postgres", "PG_VERSION"), "18\n");
    writeFileSync(join(folder, "graphloom-database.json"), '{"postgres": "18", "state": "being made"}');
    const database = await open();
    expect(mark()).toEqual({ postgres: "18", state: "complete" });
    await database.close();
  });

  test("stops a statement that takes too long and keeps what was committed", async () => {
    const database = await open();
    await database.run(SQL`create table t (n integer); insert into t values (1)`);
    const heard: string[] = [];
    await database.listen("news", (payload) => heard.push(payload));
    const slow = database.transaction(
      async (sql) => {
        await sql.query(SQL`insert into t values (2)`);
        await sql.query(SQL`select count(*) from generate_series(1, 1000000000)`);
      },
      { statementTimeout: 500 },
    );
    const waiting = database.query(SQL`select n from t`);
    await expect(slow).rejects.toMatchObject({
      code: "57014",
      message: "the statement took longer than 500 ms and was stopped",
    });
    expect(await waiting).toEqual([{ n: "1" }]);
    await database.query(SQL`select pg_notify('news', 'still here')`);
    await expect.poll(() => heard).toEqual(["still here"]);
    await database.close();
  });
});

describe("only the owner can read the files in a folder", () => {
  test("keeps a new folder private to its owner", async () => {
    const path = join(folder, "new");
    const database = await open(path);
    await database.run(SQL`create schema s; create table s.t (n integer); insert into s.t values (1)`);
    expect(openToOthers(path)).toEqual([]);
    await database.close();
    expect(openToOthers(path)).toEqual([]);
  });

  test("keeps a folder private that was created without an image", async () => {
    const path = join(folder, "new");
    await (await openDatabase(path, world)).close();
    expect(openToOthers(path)).toEqual([]);
  });

  test("makes an existing folder private that was open to everyone", async () => {
    chmodSync(folder, 0o777);
    const database = await open();
    expect(openToOthers(folder)).toEqual([]);
    await database.close();
  });

  test("makes existing files private that were open to everyone", async () => {
    await (await open()).close();
    const all = filesIn(folder);
    for (const path of all) chmodSync(path, lstatSync(path).isDirectory() ? 0o777 : 0o666);
    expect(openToOthers(folder)).toEqual(all);
    await (await open()).close();
    expect(openToOthers(folder)).toEqual([]);
  });
});

/** Lists a folder and everything in it. */
function filesIn(path: string): readonly string[] {
  return [path, ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name))];
}

/** Lists the files that the group or others can access. */
function openToOthers(path: string): readonly string[] {
  return filesIn(path).filter((file) => (lstatSync(file).mode & 0o077) !== 0);
}

describe("refused folders", () => {
  test("refuses a folder that holds other files", async () => {
    writeFileSync(join(folder, "diary.txt"), "");
    await expect(open()).rejects.toMatchObject({
      message: `${folder} is not a graphloom database folder`,
      hint: "Choose a folder that is empty or does not exist yet.",
    });
    expect(readdirSync(folder)).toEqual(["diary.txt"]);
  });

  test("refuses a path that is a file", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    await expect(open(file)).rejects.toMatchObject({
      message: expect.stringContaining(`cannot create the folder ${file}`),
      hint: "Choose a folder that you can write to.",
    });
  });

  test("refuses a folder whose version file is missing", async () => {
    await (await open()).close();
    rmSync(join(folder, "postgres", "PG_VERSION"));
    await expect(open()).rejects.toMatchObject({
      message: `${folder} holds an incomplete database: postgres/PG_VERSION is missing`,
      hint: expect.stringContaining("Restore a backup of the folder"),
    });
  });

  test("refuses a folder with a damaged database", async () => {
    await (await open()).close();
    writeFileSync(join(folder, "postgres", "global", "pg_control"), "nonsense");
    await expect(open()).rejects.toMatchObject({
      message: expect.stringMatching(/cannot be opened: (?!Aborted|PGlite)/),
      hint: expect.stringContaining("Restore a backup of the folder"),
    });
  });

  test.each([
    [
      { postgres: "17", state: "complete" },
      "18",
      "holds a PostgreSQL 17 database, but this graphloom uses PostgreSQL 18",
    ],
    [{ postgres: "18", state: "complete" }, "16", "holds a PostgreSQL 16 database"],
  ])("refuses a folder marked %j that holds version %s", async (marked, version, message) => {
    writeFileSync(join(folder, "graphloom-database.json"), JSON.stringify(marked));
    mkdirSync(join(folder, "postgres"));
    if (version !== undefined) writeFileSync(join(folder, "postgres", "PG_VERSION"), `${version}\n`);
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining(message),
      hint: "Choose another folder and index again, or use the graphloom version that created this one.",
    });
    // The refusal released the folder's lock.
    await expect(open()).rejects.toThrow(message);
  });
});
