import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { plant, testFolder } from "../../support/folder.js";
import { everything, files, tree } from "./harness.js";

const GENERATED = { "subgraph.yaml": "one", "src/mapping.ts": "a" };
const SEEDS = { "config/subgraph.json": "{}", "config/abis/Token.json": "[]" };
const force = { force: true };
const gently = { force: false };
const seeds = files(SEEDS);

function recorded(target: string): string[] {
  return Object.keys(JSON.parse(readFileSync(join(target, ".graphloom/files.json"), "utf8")).files);
}

describe("seeds", () => {
  test("are written into a new target, and not recorded", async () => {
    const target = join(testFolder(), "out");
    const result = await writeProject(target, files(GENERATED), { ...gently, seeds });
    expect(result).toMatchObject({ written: [...Object.keys(GENERATED), ...Object.keys(SEEDS)] });
    expect(tree(target)).toEqual({ ...GENERATED, ...SEEDS });
    expect(recorded(target)).toEqual(["src/mapping.ts", "subgraph.yaml"]);
  });

  test("are written into an existing target, and not recorded", async () => {
    const target = testFolder();
    plant(target, { mine: "x" });
    await writeProject(target, files(GENERATED), { ...gently, seeds });
    expect(tree(target)).toEqual({ ...GENERATED, ...SEEDS, mine: "x" });
    expect(recorded(target)).toEqual(["src/mapping.ts", "subgraph.yaml"]);
  });

  test("stay unchanged when they are the same", async () => {
    const target = testFolder();
    await writeProject(target, files(GENERATED), { ...gently, seeds });
    const before = everything(target);
    const again = await writeProject(target, files(GENERATED), { ...gently, seeds });
    expect(again).toMatchObject({ kind: "written", written: [], removed: [], kept: [] });
    expect(everything(target)).toEqual(before);
  });

  test("are neither removed nor replaced by a later run without them", async () => {
    const target = testFolder();
    await writeProject(target, files(GENERATED), { ...gently, seeds });
    plant(target, { "config/subgraph.json": "changed" });
    const result = await writeProject(target, files({ "subgraph.yaml": "two" }), force);
    expect(result).toMatchObject({ removed: ["src/mapping.ts"], kept: [] });
    expect(tree(target)).toEqual({ "subgraph.yaml": "two", ...SEEDS, "config/subgraph.json": "changed" });
  });

  test("are conflicts when they differ, and are replaced with force", async () => {
    const target = testFolder();
    plant(target, { "config/subgraph.json": "mine" });
    expect(await writeProject(target, files(GENERATED), { ...gently, seeds })).toEqual({
      kind: "refused",
      conflicts: ["config/subgraph.json"],
    });
    expect(tree(target)).toEqual({ "config/subgraph.json": "mine" });
    await writeProject(target, files(GENERATED), { ...force, seeds });
    expect(tree(target)).toEqual({ ...GENERATED, ...SEEDS });
    expect(recorded(target)).toEqual(["src/mapping.ts", "subgraph.yaml"]);
  });

  test("are no longer recorded when they were generated before", async () => {
    const target = testFolder();
    await writeProject(target, files({ ...GENERATED, ...SEEDS }), gently);
    await writeProject(target, files(GENERATED), { ...gently, seeds });
    expect(recorded(target)).toEqual(["src/mapping.ts", "subgraph.yaml"]);
  });

  test("stop the whole run when they cannot be written", async () => {
    const target = testFolder();
    mkdirSync(join(target, "config/subgraph.json"), { recursive: true });
    expect(await writeProject(target, files(GENERATED), { ...force, seeds })).toMatchObject({
      kind: "failed",
      path: "config/subgraph.json",
    });
    expect(tree(target)).toEqual({ "config/subgraph.json/": "" });
    const unsafe = await writeProject(target, files(GENERATED), { ...force, seeds: files({ "../x": "" }) });
    expect(unsafe).toMatchObject({ kind: "unsafe", path: "../x" });
  });
});
