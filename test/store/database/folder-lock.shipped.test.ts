import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { lockFolder } from "../../../src/store/database/pglite/lock-folder.js";
import { openDatabase } from "../../../src/store/open.js";
import { world } from "../../support/database/databases.js";
import { testFolder } from "../../support/folder.js";

let folder: string;
let lock: string;
beforeEach(() => {
  folder = testFolder();
  lock = join(folder, "lock");
});

const module = new URL("../../../dist/store/database/pglite/lock-folder.js", import.meta.url).href;

/** Runs a script that can use `lockFolder`, `folder` and `lock`. */
function start(script: string, within: readonly string[] = []): ChildProcess {
  const known = `import { lockFolder } from ${JSON.stringify(module)};
    const folder = ${JSON.stringify(folder)}, lock = ${JSON.stringify(lock)};`;
  const [program = "", ...rest] = [
    ...within,
    process.execPath,
    "--input-type=module",
    "-e",
    `${known}${script}`,
  ];
  const process_ = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void process_.kill("SIGKILL"));
  return process_;
}

async function printed(process_: ChildProcess): Promise<string> {
  let text = "";
  for (const stream of [process_.stdout, process_.stderr]) {
    stream?.on("data", (chunk) => {
      text += String(chunk);
    });
  }
  await once(process_, "close");
  return text;
}

async function hold(within: readonly string[] = []): Promise<ChildProcess> {
  const holder = start('lockFolder(folder, lock); console.log("held"); setInterval(() => {}, 1000);', within);
  const [said] = await once(holder.stdout ?? holder, "data");
  expect(String(said)).toBe("held\n");
  return holder;
}

const tryIt =
  'try { lockFolder(folder, lock); console.log("held") } catch (error) { console.log(error.message) }';

describe("the lock of a folder", () => {
  test("a process holds the lock of a folder until it is killed", async () => {
    const holder = await hold();
    expect(() => lockFolder(folder, lock)).toThrow(
      `the database in ${folder} is in use by process ${holder.pid}`,
    );
    holder.kill("SIGKILL");
    await once(holder, "exit");
    lockFolder(folder, lock)();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    "",
    '{"pid": ',
    JSON.stringify({ pid: process.pid, started: null }),
    JSON.stringify({ pid: 1, host: "h" }),
  ])("ignores a stale lock file: %s", (text) => {
    writeFileSync(lock, text);
    const unlock = lockFolder(folder, lock);
    expect(() => lockFolder(folder, lock)).toThrow(`is in use by process ${process.pid}`);
    unlock();
    unlock();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("two processes that compete for the lock never hold it at the same time", async () => {
    const contend = `import { closeSync, existsSync, openSync, rmSync } from "node:fs";
      console.log("ready");
      while (!existsSync(folder + "/go")) await new Promise((resolve) => setTimeout(resolve, 1));
      let held = 0;
      while (held < 200) {
        let unlock;
        try { unlock = lockFolder(folder, lock); } catch (error) {
          if (!/in use/.test(error.message)) throw error;
          continue;
        }
        closeSync(openSync(folder + "/alone", "wx"));
        rmSync(folder + "/alone");
        unlock();
        held++;
      }
      console.log(held);`;
    const contenders = [1, 2, 3].map(() => start(contend));
    const all = Promise.all(contenders.map(printed));
    await Promise.all(contenders.map(({ stdout }) => stdout && once(stdout, "data")));
    writeFileSync(join(folder, "go"), "");
    expect(await all).toEqual(contenders.map(() => "ready\n200\n"));
  });
});

/** A container with its own processes, host name, network and mounts. Each has a process 1. */
const container = (name: string): readonly string[] => [
  "unshare",
  "--pid",
  "--mount",
  "--uts",
  "--ipc",
  "--net",
  "--fork",
  "--kill-child",
  "--mount-proc",
  ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]),
  "sh",
  "-c",
  'hostname "$0" && exec "$@"',
  name,
];

const hasContainers = spawnSync("unshare", [...container("try").slice(1), "true"]).status === 0;

describe.runIf(hasContainers)("the lock of a folder, in containers", () => {
  test("a lock held in a container excludes other containers and the host", async () => {
    const holder = await hold(container("first"));
    const other = await printed(start(tryIt, container("second")));
    expect(other).toMatch(
      /is in use by process 1 on another machine or in another container \(first\), since 20\d\d-/,
    );
    await expect(openDatabase(folder, world)).rejects.toMatchObject({
      message: expect.stringContaining(
        "is in use by process 1 on another machine or in another container (first), since",
      ),
      hint: "Stop that process first: only one server can use a folder. Several servers can share a database on a PostgreSQL server.",
    });
    holder.kill("SIGKILL");
    await once(holder, "exit");
    await expect.poll(() => printed(start(tryIt, container("second")))).toBe("held\n");
  });

  test("a lock held on the host excludes containers", async () => {
    const unlock = lockFolder(folder, lock);
    expect(await printed(start(tryIt, container("first")))).toContain(
      `in use by process ${process.pid} on another machine or in another container (${hostname()}), since`,
    );
    unlock();
    expect(await printed(start(tryIt, container("first")))).toBe("held\n");
  });
});
