import { spawn, spawnSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { hasPendingChange } from "../../../src/compiler/write/journal.js";
import { recover } from "../../../src/compiler/write/write-project.js";
import { plant, testFolder } from "../../support/folder.js";
import { everything, tree } from "./harness.js";

const SAME = { "build/subgraph.yaml": "same", same: "same" };
const OLD = { ...SAME, "subgraph.yaml": "old", "src/mapping.ts": "old", "generated/Tok/Tok.ts": "t" };
const NEW = { ...SAME, "subgraph.yaml": "new", "src/mapping.ts": "new", "src/new/deep/a.ts": "n" };
const MINE = { "README.md": "mine" };

/** Runs a script against the built writer; `fault` is what happens at the n-th change of the file system. */
function run(folder: string, body: string, fault?: { at: number; how: "kill" | "throw" }) {
  return spawnSync(process.execPath, [script(folder, body, fault)], { encoding: "utf8", timeout: 60_000 });
}

function script(folder: string, body: string, fault?: { at: number; how: "kill" | "throw" }): string {
  const path = join(folder, "script.mjs");
  writeFileSync(
    path,
    `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { recover, writeProject } = await import(${JSON.stringify(resolve("dist/compiler/write/write-project.js"))});
let left = ${fault?.at ?? -1};
for (const name of ["mkdirSync", "openSync", "writeSync", "fsyncSync", "renameSync", "rmdirSync", "rmSync"]) {
  const original = fs[name];
  fs[name] = (...args) => {
    const reading = name === "openSync" && args[1] !== "w" && args[1] !== "wx";
    if (!reading && left-- === 0) {
      if (${JSON.stringify(fault?.how ?? "")} === "kill") process.kill(process.pid, "SIGKILL");
      throw Object.assign(new Error("made up"), { code: "EACCES" });
    }
    return original(...args);
  };
}
syncBuiltinESMExports();
const files = (record) => new Map(Object.entries(record));
${body}`,
  );
  return path;
}

/** What other tools find in a target: a project of one piece, or none, because it has no manifest. */
function expectWholeOrNone(target: string, at: string): void {
  const found = Object.entries(everything(target)).filter(
    ([path]) => !path.startsWith(".graphloom") && !path.endsWith("/"),
  );
  if (!found.some(([path]) => path.endsWith("subgraph.yaml"))) {
    expect(hasPendingChange(target), at).toBe(true);
    return;
  }
  const there = Object.fromEntries(found);
  const whole = { ...("src/new/deep/a.ts" in there ? NEW : OLD), ...MINE };
  // Of the manifests some may be away: each tool asks for one.
  const { "subgraph.yaml": _, "build/subgraph.yaml": __, ...others } = whole;
  expect(there, at).toMatchObject(others);
  expect(whole, at).toMatchObject(there);
}

async function prepare() {
  const folder = testFolder();
  const target = join(folder, "out");
  const write = (version: object) =>
    `process.stdout.write((await writeProject(${JSON.stringify(target)}, files(${JSON.stringify(version)}), { force: true })).kind);`;
  expect(run(folder, write(OLD)).stdout).toBe("written");
  plant(target, MINE);
  const pristine = join(folder, "pristine");
  cpSync(target, pristine, { recursive: true });
  return { folder, target, write, pristine };
}

test("killed at any change of the file system, a run has happened or has not", {
  timeout: 240_000,
}, async () => {
  const { folder, target, write, pristine } = await prepare();
  const outcomes = new Set<string>();
  for (let at = 0; ; at++) {
    rmSync(target, { recursive: true });
    cpSync(pristine, target, { recursive: true });
    const { signal } = run(folder, write(NEW), { at, how: "kill" });
    expectWholeOrNone(target, `killed at ${at}`);
    await recover(target);
    const found = everything(target);
    const record = Object.keys(found).filter((path) => path.startsWith(".graphloom"));
    expect(record, `killed at ${at}`).toEqual([".graphloom/files.json"]);
    const { "subgraph.yaml": version } = found;
    expect(tree(target), `killed at ${at}`).toEqual({ ...(version === "new" ? NEW : OLD), ...MINE });
    outcomes.add(`${version}`);
    if (signal === null) break;
    expect(at).toBeLessThan(100);
  }
  expect([...outcomes]).toEqual(["old", "new"]);
});

test("killed at any change of a recovery, the next one completes it", { timeout: 240_000 }, async () => {
  const { folder, target, write } = await prepare();
  // The 13th change is well inside the commit.
  run(folder, write(NEW), { at: 13, how: "kill" });
  const half = join(folder, "half");
  cpSync(target, half, { recursive: true });
  expect(Object.keys(everything(half))).toContain(".graphloom/journal.json");
  for (let at = 0; ; at++) {
    rmSync(target, { recursive: true });
    cpSync(half, target, { recursive: true });
    const { signal } = run(folder, `await recover(${JSON.stringify(target)});`, { at, how: "kill" });
    expectWholeOrNone(target, `killed at ${at}`);
    await recover(target);
    expect(tree(target), `killed at ${at}`).toEqual({ ...NEW, ...MINE });
    if (signal === null) break;
    expect(at).toBeLessThan(100);
  }
});

test("failing at any change of the file system, a run leaves what was", { timeout: 240_000 }, async () => {
  const { folder, target, write, pristine } = await prepare();
  const outcomes = new Set<string>();
  for (let at = 0; ; at++) {
    rmSync(target, { recursive: true });
    cpSync(pristine, target, { recursive: true });
    const { stdout } = run(folder, write(NEW), { at, how: "throw" });
    const before = tree(target);
    outcomes.add(`${stdout}`);
    await recover(target);
    const version = before["subgraph.yaml"] === "new" ? NEW : OLD;
    if (stdout === "written") expect(version).toBe(NEW);
    // A folder that could not be removed is not worth giving up a change that has been made.
    const found = Object.entries(tree(target)).filter(([path]) => !path.endsWith("/"));
    expect(Object.fromEntries(found), `failed at ${at}`).toEqual({ ...version, ...MINE });
    if (stdout === "written" && at > 40) break;
    expect(at).toBeLessThan(100);
  }
  expect(outcomes).toContain("failed");
});

/** How often at random moments. */
const kills = Number(process.env.GRAPHLOOM_KILLS ?? 6);

describe("killed at random moments", () => {
  test("a run that goes back and forth leaves one of both", { timeout: 90_000 + 2_000 * kills }, async () => {
    const folder = testFolder();
    const target = join(folder, "out");
    const version = (text: string, names: string) =>
      Object.fromEntries(
        Array.from({ length: 200 }, (_, n) => [`d${n % 7}/${names}${n % 3 ? "" : text}${n}`, text]),
      );
    const [a, b] = [version("a", "f"), version("b", "f")];
    const body = `
for (;;) for (const each of ${JSON.stringify([a, b])}) {
  const { kind } = await writeProject(${JSON.stringify(target)}, files(each), { force: true });
  if (kind !== "written") process.exit(1);
  process.stdout.write(".");
}`;
    const seen = new Set<string>();
    for (let round = 0; round < kills || (seen.size < 2 && round < 100); round++) {
      const child = spawn(process.execPath, [script(folder, body)], { stdio: ["ignore", "pipe", "inherit"] });
      const ended = new Promise((done) => child.on("exit", (_, signal) => done(signal)));
      await new Promise((ready) => child.stdout.once("data", ready));
      await new Promise((done) => setTimeout(done, Math.random() * 150));
      child.kill("SIGKILL");
      expect(await ended).toBe("SIGKILL");
      await recover(target);
      const found = tree(target);
      const is =
        JSON.stringify(Object.keys(found).sort()) === JSON.stringify(Object.keys(a).sort()) ? "a" : "b";
      expect(found).toEqual(is === "a" ? a : b);
      seen.add(is);
    }
    expect([...seen].sort()).toEqual(["a", "b"]);
  });
});
