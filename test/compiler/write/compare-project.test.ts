import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compareProject } from "../../../src/compiler/write/compare-project.js";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { plant, testFolder } from "../../support/folder.js";
import { everything, files } from "./harness.js";

const SAME = { pending: false, missing: [], different: [], extra: [] };
const FILES = { "a.ts": "a", "src/b.ts": "b" };

async function written() {
  const target = testFolder();
  await writeProject(target, files(FILES), { force: false });
  return target;
}

test("the comparison calls a project up to date right after it is written", async () => {
  const target = await written();
  plant(target, { mine: "x" });
  const before = everything(target);
  expect(await compareProject(target, files(FILES))).toEqual(SAME);
  expect(everything(target)).toEqual(before);
});

test("the comparison lists every kind of difference in order", async () => {
  const target = await written();
  plant(target, { "src/b.ts": "changed" });
  const wanted = files({ "src/b.ts": "b", z: "z", "c/d.ts": "d" });
  expect(await compareProject(target, wanted)).toEqual({
    pending: false,
    missing: ["c/d.ts", "z"],
    different: ["src/b.ts"],
    extra: ["a.ts"],
  });
});

test("the comparison ignores an obsolete file that is gone, but not its record", async () => {
  const target = await written();
  rmSync(join(target, "a.ts"));
  expect(await compareProject(target, files({ "src/b.ts": "b" }))).toEqual({
    ...SAME,
    different: [".graphloom/files.json"],
  });
});

test("the comparison does not count a missing record as a difference", async () => {
  const target = await written();
  rmSync(join(target, ".graphloom"), { recursive: true });
  expect(await compareProject(target, files(FILES))).toEqual(SAME);
});

test("the comparison lists every file as missing when the target does not exist", async () => {
  expect(await compareProject(join(testFolder(), "none"), files(FILES))).toEqual({
    ...SAME,
    missing: ["a.ts", "src/b.ts"],
  });
});

test("the comparison does not take a link or a folder for the file", async () => {
  const target = testFolder();
  plant(target, { real: "a" });
  symlinkSync("real", join(target, "a.ts"));
  mkdirSync(join(target, "src/b.ts"), { recursive: true });
  expect(await compareProject(target, files(FILES))).toEqual({ ...SAME, different: ["a.ts", "src/b.ts"] });
});

test("the comparison reports a change that was started and not completed", async () => {
  const target = await written();
  const journal = { staging: "staging-01234567", folders: [], puts: [], removals: [], standing: [] };
  plant(target, { ".graphloom/journal.json": JSON.stringify(journal) });
  const before = everything(target);
  expect(await compareProject(target, files(FILES))).toEqual({ ...SAME, pending: true });
  expect(everything(target)).toEqual(before);
});
