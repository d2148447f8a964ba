import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openArchiveFiles } from "../../../src/machine/files/archive-files.js";
import { madeBlock, madeBlocks, put } from "../../support/archive/made-chain.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { sharedCache } from "../../support/compiler/shared-cache.js";
import { testFolder } from "../../support/folder.js";
import { exampleFolder, trade } from "../run/chains.js";
import { endOf } from "./end-of.js";

/** How many runs fill an archive while it is pruned; more in `npm run campaign:kills`. */
const runs = process.env.GRAPHLOOM_KILLS === undefined ? 1 : 10;

const anvil = useAnvil(["--chain-id", "1", "--prune-history", "1000000"]);

function start(cwd: string, words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [resolve("dist/cli/main.js"), ...words], {
    cwd,
    env: { ...process.env, ...sharedCache },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** A process that holds the lock of an archive, until it is killed. */
async function hold(folder: string): Promise<ChildProcess> {
  const module = new URL("../../../dist/machine/files/archive-files.js", import.meta.url).href;
  const script = `import { lockArchive } from ${JSON.stringify(module)};
    console.log(lockArchive(${JSON.stringify(folder)}).kind); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ["--input-type=module", "-e", script]);
  onTestFinished(() => void holder.kill("SIGKILL"));
  expect(String((await once(holder.stdout, "data"))[0])).toBe("ours\n");
  return holder;
}

const prune = ["archive", "prune", "--archive", "kept"];

describe("archive prune, beside other processes", () => {
  it("is refused while another prune runs, and names it; a killed one does not block it", async () => {
    const cwd = testFolder();
    const kept = join(cwd, "kept");
    await put(openArchiveFiles(kept), { blocks: madeBlocks(1, 9) }, { blocks: madeBlocks(4, 7) });
    const holder = await hold(kept);
    const refused = await endOf(start(cwd, prune));
    expect(refused).toEqual({
      code: 1,
      out: "",
      err: `The archive in ${kept} is being pruned by process ${holder.pid}. Run this command again once that is done.\n`,
    });
    expect((await endOf(start(cwd, [...prune, "--dry-run"]))).code).toBe(0);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    expect(await endOf(start(cwd, prune))).toMatchObject({ code: 0, err: "" });
    expect(readdirSync(join(kept, "1", "blocks")).length).toBe(1);
    expect(readdirSync(kept)).toEqual(["1", "networks.jsonl"]);
  });

  it("two prunes that start at once never remove both copies of a segment", async () => {
    for (let round = 0; round < 3; round++) {
      const cwd = testFolder();
      const twins = [
        [1, 2, 3],
        [1, 3, 2],
      ].map((numbers) => ({ blocks: numbers.map((n) => madeBlock(n)) }));
      await put(openArchiveFiles(join(cwd, "kept")), ...twins);
      const ended = await Promise.all([0, 1].map(() => endOf(start(cwd, prune))));
      // The other one may hold the lock, and not have written its name yet.
      for (const { code, err } of ended)
        if (code !== 0) expect(err).toMatch(/is being pruned by (?:process \d+|another process)/);
      expect(ended.some(({ code }) => code === 0)).toBe(true);
      expect(readdirSync(join(cwd, "kept", "1", "blocks")).length).toBe(1);
    }
  });

  it("leaves an archive whole while a run fills it", async () => {
    const { factory } = await trade(anvil(), 12);
    const last = await anvil().blockNumber();
    await anvil().mine(400);
    const cwd = exampleFolder(factory);
    mkdirSync(join(cwd, "kept"));
    const range = ["--from-block", "0", "--to-block", `${last}`, "--output", "json", "--archive", "kept"];
    const run = ["run", "subgraph.json", "--rpc", anvil().url, ...range];
    for (let round = 0; round < runs; round++) {
      let isOver = false;
      const running = endOf(start(cwd, run)).finally(() => {
        isOver = true;
      });
      while (!isOver) {
        const { code, err } = await endOf(start(cwd, [...prune, "--before", `${last + 1}`]));
        if (code !== 0) expect(err).toContain("There is no archive in");
      }
      const { code, err } = await running;
      expect(code, err).toBe(0);
      const verified = await endOf(start(cwd, ["archive", "verify", "--archive", "kept"]));
      expect(verified, verified.out).toMatchObject({ code: 0 });
    }
    await endOf(start(cwd, run));
    const again = await endOf(start(cwd, run));
    expect(again.err).toContain("mainnet: 0 requests to the node, the rest from the archive\n");
  });
});
