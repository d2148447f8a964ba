import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasPendingChange } from "../../../src/compiler/write/journal.js";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { plant, testFolder } from "../../support/folder.js";
import { files, recover, tree } from "./harness.js";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");
const staging = "staging-01234567";
const nothing = { staging, folders: [], puts: [], removals: [], standing: [] };
const MINE = { "README.md": "mine", "src/mine.ts": "m" };

/** A user's folder with a journal of changes to make. */
function forged(journal: object, staged: Readonly<Record<string, string>> = {}, record: object = {}): string {
  const target = testFolder(MINE);
  plant(target, {
    ".graphloom/files.json": JSON.stringify({ files: record }),
    ".graphloom/journal.json": JSON.stringify({ ...nothing, ...journal }),
    [`.graphloom/${staging}/x`]: "",
  });
  for (const [name, text] of Object.entries(staged))
    plant(target, { [`.graphloom/${staging}/${name}`]: text });
  return target;
}

const put = (before: string | undefined, path = "README.md") => ({
  puts: [{ slot: 0, path, before, after: hash("evil") }],
});
const removal = (path: string) => ({ removals: [{ slot: 0, path }] });

describe("a journal that came with a folder", () => {
  test.each<[string, Parameters<typeof forged>]>([
    ["a file that was not generated", [removal("README.md")]],
    [
      "a file that was changed since it was generated",
      [removal("README.md"), {}, { "README.md": hash("generated") }],
    ],
    ["a file other than the one to be replaced", [put(hash("other")), { "new-0": "evil" }]],
    ["a file where none was", [put(undefined), { "new-0": "evil" }]],
    ["a file to be replaced by different content", [put(hash("mine")), { "new-0": "more evil" }]],
    ["a file without a replacement", [put(hash("mine"))]],
    ["a folder", [put(hash("mine"), "src"), { "new-0": "evil" }]],
    ["a path below a file", [put(undefined, "README.md/a"), { "new-0": "evil" }]],
    ["a manifest that stays", [{ standing: [{ slot: 0, path: "README.md" }] }, { "standing-0": "evil" }]],
    [
      "a file outside that a slot number leads to",
      [{ removals: [{ slot: "/../../../README.md", path: "a" }] }],
    ],
    ["all files when its folder is not ours", [{ staging: "../src", ...removal("README.md") }]],
  ])("%s stays unchanged", async (_, given) => {
    const target = forged(...given);
    await recover(target);
    expect(tree(target)).toEqual(MINE);
    expect(hasPendingChange(target)).toBe(false);
  });

  test("files outside of the folder stay unchanged", async () => {
    const folder = testFolder({ victim: "v" });
    const target = join(folder, "out");
    const slot = { slot: 0, path: "../victim" };
    const journal = {
      ...nothing,
      folders: ["../made"],
      puts: [{ ...slot, after: hash("evil") }],
      removals: [slot],
    };
    plant(target, {
      ".graphloom/files.json": JSON.stringify({ files: { "../victim": hash("v") } }),
      ".graphloom/journal.json": JSON.stringify(journal),
      [`.graphloom/${staging}/new-0`]: "evil",
    });
    expect(await writeProject(target, files({ a: "1" }), { force: true })).toMatchObject({
      kind: "written",
      removed: [],
    });
    expect(tree(folder)).toEqual({
      victim: "v",
      "out/a": "1",
      "out/.graphloom/files.json": expect.any(String),
    });
  });

  test("the target of a link stays unchanged", async () => {
    const elsewhere = testFolder({ "README.md": "theirs" });
    const target = forged(
      { ...put(hash("theirs"), "link/README.md"), ...removal("link/README.md") },
      { "new-0": "evil" },
    );
    symlinkSync(elsewhere, join(target, "link"));
    await recover(target);
    expect(tree(elsewhere)).toEqual({ "README.md": "theirs" });
  });
});

test("a recovery completes the change of a dead run, except for a file that has changed since", async () => {
  const target = forged(
    {
      puts: [
        { slot: 0, path: "README.md", before: hash("old"), after: hash("new") },
        { slot: 1, path: "src/mine.ts", before: hash("m"), after: hash("n") },
      ],
    },
    { "new-0": "new", "new-1": "n" },
  );
  expect(hasPendingChange(target)).toBe(true);
  await recover(target);
  expect(tree(target)).toEqual({ "README.md": "mine", "src/mine.ts": "n" });
});

test("a recovery keeps the user's files in the record folder", async () => {
  const target = testFolder();
  const own = {
    ".graphloom/notes.md": "n",
    ".graphloom/staging-mine/a": "a",
    ".graphloom/lock-file": "l",
    ".graphloom/drafts/b": "b",
  };
  plant(target, { ...own, ".graphloom/staging-89abcdef/new-0": "left", ".graphloom/journal.draft": "{" });
  mkdirSync(join(target, ".graphloom/empty"));
  await writeProject(target, files({ a: "1" }), { force: true });
  await writeProject(target, files({ a: "2" }), { force: true });
  await recover(target);
  expect(tree(target)).toEqual({ a: "2", ...own, ".graphloom/empty/": "" });
});
