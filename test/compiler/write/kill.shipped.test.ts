import { spawn, spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { hasPendingChange } from "../../../src/compiler/write/journal.js";
import { plant, testFolder } from "../../support/folder.js";
import { everything, recover, tree } from "./harness.js";

const SAME = { "build/subgraph.yaml": "same", same: "same" };
const OLD = { ...SAME, "subgraph.yaml": "old", "src/mapping.ts": "old", "generated/Tok/Tok.ts": "t" };
const NEW = { ...SAME, "subgraph.yaml": "new", "src/mapping.ts": "new", "src/new/deep/a.ts": "n" };
const MINE = { "README.md": "mine" };

/** Number of kills at random moments. If it is set, the run at every file system change is really killed, too. */
const asked = process.env.GRAPHLOOM_KILLS;
const kills = Number(asked ?? 6);

/**
 * The action before the n-th change of the file system. With "keep", the folder is copied before each change: the copy
 * is what a kill would leave.
 */
type Fault = { readonly at: number; readonly how: "kill" | "throw" } | { readonly how: "keep" };

/** Runs a script against the built writer. In the script, `arm` sets which of the following changes is the n-th. */
function run(folder: string, body: string, fault?: Fault) {
  return spawnSync(process.execPath, [script(folder, body, fault)], { encoding: "utf8", timeout: 60_000 });
}

function script(folder: string, body: string, fault?: Fault): string {
  const path = join(folder, "script.mjs");
  writeFileSync(
    path,
    `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
const { writeProject } = await import(${JSON.stringify(resolve("dist/compiler/write/write-project.js"))});
const how = ${JSON.stringify(fault?.how ?? "")};
let left, kept = 0, isKeeping = false;
const arm = (at) => { left = at; };
arm(${fault && "at" in fault ? fault.at : -1});
const keep = () => {
  isKeeping = true;
  fs.cpSync(${JSON.stringify(join(folder, "out"))}, ${JSON.stringify(join(folder, "at-"))} + kept++, { recursive: true });
  isKeeping = false;
};
for (const name of ["mkdirSync", "openSync", "writeSync", "fsyncSync", "renameSync", "rmdirSync", "rmSync"]) {
  const original = fs[name];
  fs[name] = (...args) => {
    const reading = name === "openSync" && args[1] !== "w" && args[1] !== "wx";
    if (!reading && how === "keep" && !isKeeping) keep();
    if (!reading && left-- === 0) {
      if (how === "kill") process.kill(process.pid, "SIGKILL");
      throw Object.assign(new Error("made up"), { code: "EACCES" });
    }
    return original(...args);
  };
}
syncBuiltinESMExports();
const files = (record) => new Map(Object.entries(record));
const recover = (target) => writeProject(target, new Map(), { force: false, signal: AbortSignal.abort() });
${body}`,
  );
  return path;
}

/**
 * Visits the target as a script leaves it when it is killed at each change of the file system, and when it is not.
 * Some runs are really killed, and must leave the copy kept at that change.
 * @param pristine the initial content of the target
 */
async function killedAtEach(
  { folder, target, pristine, body }: Record<"folder" | "target" | "pristine" | "body", string>,
  judge: (at: string) => Promise<void>,
): Promise<void> {
  const become = (which: string): void => {
    rmSync(target, { recursive: true });
    cpSync(which, target, { recursive: true });
  };
  become(pristine);
  expect(run(folder, body, { how: "keep" }).status).toBe(0);
  await judge("not killed");
  const moments = readdirSync(folder).filter((name) => name.startsWith("at-")).length;
  expect(moments).toBeGreaterThan(10);
  for (let at = 0; at < moments; at++) {
    const kept = join(folder, `at-${at}`);
    if (asked !== undefined || at % 12 === 5) {
      become(pristine);
      expect(run(folder, body, { at, how: "kill" }).signal).toBe("SIGKILL");
      expect(withoutOwner(target), `killed at ${at}`).toBe(withoutOwner(kept));
    } else become(kept);
    await judge(`killed at ${at}`);
  }
}

/** The project that other tools find in a target: a complete one, or none, because it has no manifest. */
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
  // Some manifests may be missing: each tool reads only one.
  const { "subgraph.yaml": _, "build/subgraph.yaml": __, ...others } = whole;
  expect(there, at).toMatchObject(others);
  expect(whole, at).toMatchObject(there);
}

/** The content of a folder, without the id of the process that wrote it. */
function withoutOwner(folder: string): string {
  const { ".graphloom/lock": lock, ...others } = everything(folder);
  const text = JSON.stringify([lock !== undefined, others]);
  return text.replaceAll(/(staging|lock)-[0-9a-f]+/g, "$1");
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

test("the writer leaves the old or the new project when a run is killed at any file system change", async () => {
  const { write, ...prepared } = await prepare();
  const { target } = prepared;
  const outcomes = new Set<string>();
  await killedAtEach({ ...prepared, body: write(NEW) }, async (at) => {
    expectWholeOrNone(target, at);
    await recover(target);
    const found = everything(target);
    const record = Object.keys(found).filter((path) => path.startsWith(".graphloom"));
    expect(record, at).toEqual([".graphloom/files.json"]);
    const { "subgraph.yaml": version } = found;
    expect(tree(target), at).toEqual({ ...(version === "new" ? NEW : OLD), ...MINE });
    outcomes.add(`${version}`);
  });
  expect([...outcomes].sort()).toEqual(["new", "old"]);
});

test("the writer completes a recovery that was killed at any file system change", async () => {
  const { folder, target, write } = await prepare();
  // The 13th change is well inside the commit.
  run(folder, write(NEW), { at: 13, how: "kill" });
  const half = join(folder, "half");
  cpSync(target, half, { recursive: true });
  expect(Object.keys(everything(half))).toContain(".graphloom/journal.json");
  const body = `await recover(${JSON.stringify(target)});`;
  await killedAtEach({ folder, target, pristine: half, body }, async (at) => {
    expectWholeOrNone(target, at);
    await recover(target);
    expect(tree(target), at).toEqual({ ...NEW, ...MINE });
  });
});

test("the writer leaves the old project when any file system change fails", async () => {
  const { folder, pristine } = await prepare();
  const [from, to] = [pristine, join(folder, "at-")].map((path) => JSON.stringify(path));
  const body = `
const kinds = [];
for (let at = 0; at <= 100; at++) {
  arm(-1);
  fs.cpSync(${from}, ${to} + at, { recursive: true });
  arm(at);
  const { kind } = await writeProject(${to} + at, files(${JSON.stringify(NEW)}), { force: true });
  kinds.push(kind);
  if (kind === "written" && at > 40) break;
}
process.stdout.write(JSON.stringify(kinds));`;
  const { stdout, stderr, status } = run(folder, body, { at: -1, how: "throw" });
  expect(status, stderr).toBe(0);
  const kinds: readonly string[] = JSON.parse(stdout);
  for (const [at, kind] of kinds.entries()) {
    const target = join(folder, `at-${at}`);
    const before = tree(target);
    await recover(target);
    const version = before["subgraph.yaml"] === "new" ? NEW : OLD;
    if (kind === "written") expect(version).toBe(NEW);
    // A folder that could not be removed does not undo a completed change.
    const found = Object.entries(tree(target)).filter(([path]) => !path.endsWith("/"));
    expect(Object.fromEntries(found), `failed at ${at}`).toEqual({ ...version, ...MINE });
  }
  expect(kinds.length).toBeLessThan(100);
  expect(kinds).toContain("failed");
});

describe("a run killed at random moments", () => {
  test("leaves one of two versions when it alternates between them", {
    timeout: 90_000 + 2_000 * kills,
  }, async () => {
    const folder = testFolder();
    const target = join(folder, "out");
    const version = (text: string, names: string) =>
      Object.fromEntries(
        Array.from({ length: 60 }, (_, n) => [`d${n % 7}/${names}${n % 3 ? "" : text}${n}`, text]),
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
