import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { testFolder } from "../../support/folder.js";
import { everything, files, tree } from "./harness.js";

const GENERATED = { "subgraph.yaml": "generated", "abis/Token.json": "pruned", "src/mapping.ts": "a" };
const MINE = { "abis/Token.json": "mine", "subgraph.yaml": "mine, too" };

/** A user's folder with the input files in it, and the paths by which they are read. */
function read(spell: (folder: string) => readonly string[]) {
  const folder = testFolder(MINE);
  return { folder, inputs: new Set(spell(folder)) };
}

describe("input files of a project", () => {
  const spellings: [string, (folder: string) => readonly string[]][] = [
    ["named directly", (folder) => [join(folder, "abis/Token.json")]],
    ["named with detours", (folder) => [`${folder}/abis/../abis/./Token.json`]],
    [
      "named through a link",
      (folder) => {
        symlinkSync(join("abis", "Token.json"), join(folder, "link.json"));
        return [join(folder, "link.json")];
      },
    ],
    [
      "named through a linked folder",
      (folder) => {
        symlinkSync(folder, join(folder, "same"));
        return [join(folder, "same/abis/Token.json")];
      },
    ],
  ];
  test.each(spellings)("are not replaced when %s, and nothing else is written", async (_, spell) => {
    const { folder, inputs } = read(spell);
    const before = everything(folder);
    for (const force of [true, false]) {
      const result = await writeProject(folder, files(GENERATED), { force, inputs });
      expect(result).toEqual({ kind: "inputs", inputs: ["abis/Token.json"] });
      expect(everything(folder)).toEqual(before);
    }
  });

  test("are all reported together", async () => {
    const { folder, inputs } = read((folder) => Object.keys(MINE).map((path) => join(folder, path)));
    const result = await writeProject(folder, files(GENERATED), { force: true, inputs });
    expect(result).toEqual({ kind: "inputs", inputs: ["subgraph.yaml", "abis/Token.json"] });
  });

  test("are found where the target is a link", async () => {
    const { folder, inputs } = read((folder) => [join(folder, "subgraph.yaml")]);
    const link = join(testFolder(), "link");
    symlinkSync(folder, link);
    expect(await writeProject(link, files(GENERATED), { force: true, inputs })).toMatchObject({
      kind: "inputs",
    });
  });

  test("are not replaced as seeds", async () => {
    const { folder, inputs } = read((folder) => [join(folder, "abis/Token.json")]);
    const seeds = files({ "abis/Token.json": "cut down" });
    const result = await writeProject(folder, files({ a: "1" }), { force: true, inputs, seeds });
    expect(result).toMatchObject({ kind: "inputs" });
    expect(tree(folder)).toEqual(MINE);
  });

  test("do not stop a run that would write the same content", async () => {
    const { folder, inputs } = read((folder) => [join(folder, "abis/Token.json")]);
    const same = files({ ...GENERATED, "abis/Token.json": "mine" });
    expect(await writeProject(folder, same, { force: true, inputs })).toMatchObject({
      kind: "written",
      unchanged: ["abis/Token.json"],
    });
  });

  test("stay when an earlier run generated them, and belong to the user from then on", async () => {
    const folder = testFolder();
    await writeProject(folder, files(GENERATED), { force: true });
    const inputs = new Set([join(folder, "abis/Token.json")]);
    const { "abis/Token.json": _, ...others } = GENERATED;
    const result = await writeProject(folder, files(others), { force: true, inputs });
    expect(result).toMatchObject({ kind: "written", removed: [], kept: [] });
    expect(tree(folder)).toEqual(GENERATED);
    const record = JSON.parse(readFileSync(join(folder, ".graphloom/files.json"), "utf8"));
    expect(Object.keys(record.files)).toEqual(["src/mapping.ts", "subgraph.yaml"]);
  });

  test("protect no path when they are deleted or are not files", async () => {
    const folder = testFolder(MINE);
    mkdirSync(join(folder, "folder"));
    const inputs = new Set([join(folder, "gone"), join(folder, "folder"), "/dev/null"]);
    const result = await writeProject(folder, files(GENERATED), { force: true, inputs });
    expect(result).toMatchObject({ kind: "written" });
  });
});
