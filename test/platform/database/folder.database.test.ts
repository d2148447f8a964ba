import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Database } from "../../../src/platform/database/database.js";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { lockFolder } from "../../../src/platform/database/pglite/lock-folder.js";
import { world } from "../../support/databases.js";
import { testFolder } from "../../support/folder.js";
import { images } from "../../support/shared-cache.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

const open = (path = folder): Promise<Database> => openDatabase(path, world, images);
const mark = () => JSON.parse(readFileSync(join(folder, "graphloom-database.json"), "utf8"));

describe("a database in a folder", () => {
  test("is made, kept, and opened by nobody else at the same time", async () => {
    const path = join(folder, "not", "there yet");
    const database = await open(path);
    await database.run("create table t (n integer); insert into t values (1)");
    await expect(open(path)).rejects.toMatchObject({
      message: `the database in ${path} is in use by process ${process.pid}`,
      hint: "End that process, or name another folder.",
    });
    await database.close();
    await expect(database.query("select 1")).rejects.toThrow("the database is closed");
    const again = await open(path);
    expect(await again.query("select n from t")).toEqual([{ n: "1" }]);
    await again.close();
    expect(readdirSync(path).sort()).toEqual(["graphloom-database.json", "postgres"]);
  });

  test("is closed once what was asked before is done", async () => {
    const database = await open();
    const asked = [1, 2, 3].map((n) => database.query(`select ${n} as n`));
    const inside = database.transaction(async (sql) => {
      await sql.run("create table t (n integer)");
      return sql.query("select 4 as n");
    });
    const closed = database.close();
    await expect(database.query("select 1")).rejects.toThrow("the database is closed");
    expect((await Promise.all([...asked, inside])).flat()).toEqual([
      { n: "1" },
      { n: "2" },
      { n: "3" },
      { n: "4" },
    ]);
    await closed;
    await database.close();
  });

  test("that was never whole is made anew", async () => {
    mkdirSync(join(folder, "postgres"));
    writeFileSync(join(folder, "postgres", "PG_VERSION"), "18\n");
    writeFileSync(join(folder, "graphloom-database.json"), '{"postgres": "18", "state": "being made"}');
    const database = await open();
    expect(mark()).toEqual({ postgres: "18", state: "complete" });
    await database.close();
  });

  test("ends a statement that takes too long, and goes on with what was committed", async () => {
    const database = await open();
    await database.run("create table t (n integer); insert into t values (1)");
    const heard: string[] = [];
    await database.listen("news", (payload) => heard.push(payload));
    const slow = database.transaction(
      async (sql) => {
        await sql.query("insert into t values (2)");
        await sql.query("select count(*) from generate_series(1, 1000000000)");
      },
      { statementTimeout: 500 },
    );
    const waiting = database.query("select n from t");
    await expect(slow).rejects.toMatchObject({
      code: "57014",
      message: "the statement took longer than 500 ms and was ended",
    });
    expect(await waiting).toEqual([{ n: "1" }]);
    await database.query("select pg_notify('news', 'still here')");
    await expect.poll(() => heard).toEqual(["still here"]);
    await database.close();
  });
});

describe("a folder is refused that", () => {
  test("holds something else", async () => {
    writeFileSync(join(folder, "diary.txt"), "");
    await expect(open()).rejects.toMatchObject({
      message: `${folder} holds something else than a database of graphloom`,
      hint: "Name a folder that is empty or not there yet.",
    });
    expect(readdirSync(folder)).toEqual(["diary.txt"]);
  });

  test("is a file", async () => {
    const file = join(folder, "file");
    writeFileSync(file, "");
    await expect(open(file)).rejects.toMatchObject({
      message: expect.stringContaining(`${file} cannot be made a folder`),
      hint: "Name a folder that you may write to.",
    });
  });

  test.each([
    [
      { postgres: "17", state: "complete" },
      "18",
      "holds a database of PostgreSQL 17, and this graphloom has PostgreSQL 18",
    ],
    [{ postgres: "18", state: "complete" }, "16", "holds a database of PostgreSQL 16"],
    [{ postgres: "18", state: "complete" }, undefined, "holds files that are no database"],
  ])("is marked %j and holds version %s", async (marked, version, message) => {
    writeFileSync(join(folder, "graphloom-database.json"), JSON.stringify(marked));
    mkdirSync(join(folder, "postgres"));
    if (version !== undefined) writeFileSync(join(folder, "postgres", "PG_VERSION"), `${version}\n`);
    await expect(open()).rejects.toMatchObject({
      message: expect.stringContaining(message),
      hint: "Name another folder and index again, or use the graphloom that made this one.",
    });
    // It is let go of again.
    await expect(open()).rejects.toThrow(message);
  });
});

describe("the lock of a folder", () => {
  const lock = () => join(folder, "lock");

  test("is that of a process that runs", async () => {
    const other = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); console.log('up')"]);
    await once(other.stdout, "data");
    const started = startOf(other.pid);
    writeFileSync(lock(), JSON.stringify({ pid: other.pid, started }));
    expect(() => lockFolder(folder, lock())).toThrow(`is in use by process ${other.pid}`);
    other.kill("SIGKILL");
    await once(other, "exit");
    lockFolder(folder, lock())();
  });

  test.each([
    ["of a process that has ended", () => JSON.stringify({ pid: 2 ** 22 + 1, started: null })],
    [
      "of an earlier process with the number of another",
      () => JSON.stringify({ pid: 1, started: "long ago 1" }),
    ],
    ["of an earlier process with our number", () => JSON.stringify({ pid: process.pid, started: "x" })],
    ["half written", () => '{"pid": '],
  ])("does not count %s", (_, text) => {
    writeFileSync(lock(), text());
    const unlock = lockFolder(folder, lock());
    expect(() => lockFolder(folder, lock())).toThrow("is in use");
    unlock();
    expect(readdirSync(folder)).toEqual([]);
  });
});

function startOf(pid: number | undefined): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return `${boot} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]}`;
}
