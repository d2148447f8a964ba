import { fork } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../src/machine/files/temporary-folder.js";
import { bundledScript } from "../../support/bundled-script.js";
import { testFolder } from "../../support/folder.js";

it("a temporary folder removes folders of killed processes, but not of running ones", async () => {
  const within = testFolder();
  const script = await bundledScript("test/support/processes/folder-holder.ts");
  const start = async () => {
    const holder = fork(script, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    onTestFinished(() => void holder.kill("SIGKILL"));
    holder.send(within);
    const [made] = (await once(holder, "message")) as [readonly string[]];
    return { holder, made };
  };
  const killed = await start();
  const running = await start();
  const own = temporaryFolder("rows", within);
  killed.holder.kill("SIGKILL");
  await once(killed.holder, "exit");
  expect(killed.made.map(existsSync)).toEqual([true, true]);
  const next = temporaryFolder("rows", within);
  const left = [own.path, next.path, ...running.made];
  expect(readdirSync(within).sort()).toEqual(namesOf(left));
  own.remove();
  next.remove();
  expect(readdirSync(within).sort()).toEqual(namesOf(running.made));
});

it("a temporary folder is private, and a clean-up keeps links, folders without a lock and folders of other kinds", () => {
  const within = testFolder();
  const others = ["graphloom-rows-1", "graphloom-job-1", "graphloom-rows-2", "target"];
  for (const name of others) mkdirSync(join(within, name));
  writeFileSync(join(within, "graphloom-job-1.lock"), "");
  writeFileSync(join(within, "target.lock"), "");
  symlinkSync(join(within, "target.lock"), join(within, "graphloom-rows-2.lock"));
  const before = readdirSync(within);
  const made = temporaryFolder("rows", within);
  expect(statSync(made.path).mode & 0o777).toBe(0o700);
  made.remove();
  expect(readdirSync(within)).toEqual(before);
});

function namesOf(paths: readonly string[]): readonly string[] {
  return paths
    .flatMap((path) => [path, `${path}.lock`])
    .map((path) => path.slice(path.lastIndexOf("/") + 1))
    .sort();
}
