import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { testFolder } from "../../support/folder.js";
import { propertySeed } from "../../support/property/property-run.js";
import { graphloom } from "../harness.js";
import { killingAt } from "./kill-at.js";
import { contentOf, filesIn, moverChain, namesIn } from "./synced-files.js";

const anvil = useAnvil();

/** Blocks of the chain. */
const blocks = 150;

beforeAll(async () => {
  await moverChain(anvil(), blocks, 10n);
});

/** All operations in a campaign, else every forty-eighth. */
const stride = process.env.GRAPHLOOM_KILLS === undefined ? 48 : 1;

it("a sync that is killed at any operation on files leaves finished files intact, and the same command writes the rest", {
  timeout: 240_000 * (48 / stride),
}, async () => {
  const range = (last: number): string => `--blocks-per-file 2 --to-block ${last}`;
  const run = async (cwd: string, last: number): Promise<void> => {
    const { code, err } = await graphloom(cwd, lineOf(range(last)));
    expect(code, err).toBe(0);
  };
  const [first, second] = [testFolder(), testFolder()];
  await run(first, 2);
  await run(second, 5);
  const [before, wanted] = [filesIn(first), filesIn(second)];
  // Into an empty folder, and into one with a file that is replaced by a longer one.
  for (const begun of [false, true]) {
    for (let at = propertySeed % stride, isOver = false; !isOver; at += stride) {
      const cwd = testFolder();
      if (begun) await run(cwd, 2);
      const child = start(cwd, range(5), killingAt(at, cwd));
      const [code, signal] = await once(child, "close");
      isOver = signal === null;
      if (isOver) expect(code).toBe(0);
      const left = existsSync(join(cwd, "data")) ? filesIn(cwd) : new Map<string, Buffer>();
      for (const [path, bytes] of left) {
        if (/\.(tmp|lock)$/.test(path)) continue;
        const whole = [wanted.get(path), before.get(path)].some((known) => known?.equals(bytes));
        expect(whole, `operation ${at}: ${path}`).toBe(true);
      }
      await run(cwd, 5);
      expect([...filesIn(cwd).keys()], `operation ${at}`).toEqual([...wanted.keys()]);
      expect(filesIn(cwd), `operation ${at}`).toEqual(wanted);
    }
  }
});

it("external-data sync only ever shows whole files to a reader", async () => {
  const clean = testFolder();
  const line = `--blocks-per-file 3 --to-block ${blocks}`;
  expect((await graphloom(clean, lineOf(line))).code).toBe(0);
  const wanted = filesIn(clean);
  const cwd = testFolder();
  const child = start(cwd, line);
  let read = 0;
  while (child.exitCode === null) {
    await sleep(1);
    for (const path of existsSync(join(cwd, "data")) ? namesIn(cwd) : []) {
      if (/\.(tmp|lock)$/.test(path)) continue;
      expect(contentOf(join(cwd, path)).equals(wanted.get(path) ?? Buffer.alloc(0)), path).toBe(true);
      read += 1;
    }
  }
  expect(child.exitCode).toBe(0);
  expect(read).toBeGreaterThan(wanted.size);
});

function lineOf(range: string): string {
  return `external-data sync raw-logs --network anvil --rpc ${anvil().url} ${range}`;
}

/** Starts a sync as a process. @param options of Node */
function start(cwd: string, range: string, options: readonly string[] = []) {
  const words = [...options, resolve("dist/cli/main.js"), ...lineOf(range).split(" ")];
  return spawn(process.execPath, words, { cwd, stdio: "ignore" });
}
