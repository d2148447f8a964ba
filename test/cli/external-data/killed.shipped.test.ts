import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { testFolder } from "../../support/folder.js";
import { until } from "../../support/until.js";
import { countFiles, filesIn, moverChain } from "./synced-files.js";

const anvil = useAnvil();

/** Blocks of the chain; a run writes a file for each. */
const blocks = 60;

beforeAll(async () => {
  await moverChain(anvil(), blocks, 5n);
});

it("a sync that is killed at any moment leaves finished files intact, and the same command writes the rest", async () => {
  const clean = testFolder();
  expect(await once(sync(clean), "close")).toEqual([0, null]);
  const wanted = filesIn(clean);
  expect(wanted.size).toBe(blocks + 2);

  const cwd = testFolder();
  let kills = 0;
  for (const files of [1, 10, 25, 40]) {
    const child = sync(cwd);
    await until(() => child.exitCode !== null || countFiles(cwd) >= files);
    await sleep(Math.random() * 5);
    if (child.exitCode === null) {
      child.kill("SIGKILL");
      kills += 1;
      await once(child, "close");
    }
    for (const [path, bytes] of filesIn(cwd)) {
      if (path.endsWith(".tmp") || path.endsWith(".lock")) continue;
      expect(bytes.equals(wanted.get(path) ?? Buffer.alloc(0)), path).toBe(true);
    }
  }
  expect(kills).toBeGreaterThan(2);
  expect(await once(sync(cwd), "close")).toEqual([0, null]);
  expect(filesIn(cwd)).toEqual(wanted);
});

it("a second process that writes to the same folder is refused, with the name of the first, and harms no file", async () => {
  const cwd = testFolder();
  const first = sync(cwd);
  await until(() => countFiles(cwd) >= 1);
  first.kill("SIGSTOP");
  const second = sync(cwd, "pipe");
  let said = "";
  second.stderr?.on("data", (chunk) => {
    said += String(chunk);
  });
  expect(await once(second, "close")).toEqual([1, null]);
  expect(said).toContain(
    `data/anvil/raw/logs/v1.0.0 was not changed: it is being written by process ${first.pid}.\nWait until that process has ended, or pass another folder with --out.\n`,
  );
  first.kill("SIGCONT");
  expect(await once(first, "close")).toEqual([0, null]);
  expect(filesIn(cwd).size).toBe(blocks + 2);
});

function sync(cwd: string, stderr: "ignore" | "pipe" = "ignore") {
  const words = ["external-data", "sync", "raw-logs", "--network", "anvil", "--rpc", anvil().url];
  const line = [...words, "--blocks-per-file", "1", "--to-block", String(blocks)];
  return spawn(process.execPath, [resolve("dist/cli/main.js"), ...line], {
    cwd,
    stdio: ["ignore", "ignore", stderr],
  });
}
