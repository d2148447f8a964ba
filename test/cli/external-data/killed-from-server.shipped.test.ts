import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { testFolder } from "../../support/folder.js";
import { until } from "../../support/until.js";
import { startServed } from "../serve/served.js";
import { countFiles, filesIn, moverChain } from "./synced-files.js";

const anvil = useAnvil();

/** Blocks of the chain. A run writes a file for every two. */
const blocks = 11;

beforeAll(async () => {
  await moverChain(anvil(), blocks, 3n, 2);
});

it("a sync reads from a server, also after it was killed at any moment, and writes the same bytes as a sync from the node", async () => {
  const home = testFolder();
  const server = await startServed(
    ["--data", "platform", "--datasets", "--rpc", `anvil=${anvil().url}`],
    home,
  );
  onTestFinished(async () => {
    server.child.kill("SIGTERM");
    await server.ended;
  });
  const fromServer = ["--server", "--api-url", server.address];
  const env = { ...process.env, HOME: home, GRAPHLOOM_TOKEN: server.token };
  const sync = (cwd: string, from: readonly string[]) => {
    const words = ["external-data", "sync", "raw-logs", "--network", "anvil", "--to-block", String(blocks)];
    const line = [resolve("dist/cli/main.js"), ...words, "--blocks-per-file", "2", ...from];
    return spawn(process.execPath, line, { cwd, env, stdio: "ignore" });
  };
  const clean = testFolder();
  expect(await once(sync(clean, ["--rpc", anvil().url]), "close")).toEqual([0, null]);
  const wanted = filesIn(clean);
  expect(wanted.size).toBe(7);

  const cwd = testFolder();
  let kills = 0;
  for (const files of [1, 2, 4]) {
    const child = sync(cwd, fromServer);
    await until(() => child.exitCode !== null || countFiles(cwd) >= files);
    await sleep(Math.random() * 50);
    if (child.exitCode !== null) continue;
    child.kill("SIGKILL");
    kills += 1;
    await once(child, "close");
    for (const [path, bytes] of filesIn(cwd))
      if (!/\.(tmp|lock)$/.test(path))
        expect(bytes.equals(wanted.get(path) ?? Buffer.alloc(0)), path).toBe(true);
  }
  expect(kills).toBeGreaterThan(1);
  expect(await once(sync(cwd, fromServer), "close")).toEqual([0, null]);
  expect(filesIn(cwd)).toEqual(wanted);
});
