import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { plant, testFolder } from "../../support/folder.js";
import { everything, files, recover, tree } from "./harness.js";

const FIRST = { "subgraph.yaml": "one", "src/mapping.ts": "a", "generated/Tok/Tok.ts": "t" };
const SECOND = { "subgraph.yaml": "two", "src/mapping.ts": "a", "src/more/calls.ts": "c" };
const force = { force: true };
const gently = { force: false };

describe("a target that does not exist", () => {
  test("is created with its parent folders", async () => {
    const folder = testFolder();
    const target = join(folder, "deep/er/out");
    expect(await writeProject(target, files(FIRST), gently)).toEqual({
      kind: "written",
      written: Object.keys(FIRST),
      removed: [],
      unchanged: [],
      kept: [],
    });
    expect(tree(folder)).toEqual({
      ...Object.fromEntries(Object.entries(FIRST).map(([path, text]) => [`deep/er/out/${path}`, text])),
      "deep/er/out/.graphloom/files.json": expect.any(String),
    });
  });

  test("gets a record that depends only on the files", async () => {
    const folder = testFolder();
    await writeProject(join(folder, "a"), files(FIRST), gently);
    await writeProject(join(folder, "b"), new Map([...files(FIRST)].reverse()), gently);
    const record = readFileSync(join(folder, "a/.graphloom/files.json"), "utf8");
    expect(readFileSync(join(folder, "b/.graphloom/files.json"), "utf8")).toBe(record);
    const hash = (text: string) => createHash("sha256").update(text).digest("hex");
    expect(record).toBe(
      `${JSON.stringify({ files: { "generated/Tok/Tok.ts": hash("t"), "src/mapping.ts": hash("a"), "subgraph.yaml": hash("one") } }, undefined, 2)}\n`,
    );
  });

  test("is not created when the run is interrupted", async () => {
    const folder = testFolder();
    const result = await writeProject(join(folder, "x/out"), files(FIRST), {
      force: false,
      signal: AbortSignal.abort(),
    });
    expect(result).toMatchObject({ kind: "failed", reason: "interrupted" });
    expect(everything(folder)).toEqual({});
  });

  test("is not created when a file cannot be written", async () => {
    const folder = testFolder();
    const result = await writeProject(join(folder, "out"), files({ a: "1", ["n".repeat(300)]: "2" }), gently);
    expect(result).toMatchObject({ kind: "failed", reason: "the name is too long" });
    expect(everything(folder)).toEqual({});
  });

  test("is cleared of the leftovers of a dead run, not of a living one", async () => {
    const folder = testFolder();
    plant(folder, {
      ".out.graphloom-999999999-0123abcd/a": "",
      [`.out.graphloom-${process.ppid}-0123abcd/a`]: "",
    });
    await writeProject(join(folder, "out"), files({ a: "1" }), gently);
    expect(Object.keys(everything(folder))).toEqual([
      `.out.graphloom-${process.ppid}-0123abcd/a`,
      "out/.graphloom/files.json",
      "out/a",
    ]);
  });
});

describe("a target that exists", () => {
  test("is filled around the user's files", async () => {
    const target = testFolder();
    plant(target, { "README.md": "mine" });
    expect(await writeProject(target, files(FIRST), gently)).toMatchObject({ kind: "written" });
    expect(tree(target)).toEqual({ ...FIRST, "README.md": "mine" });
  });

  test("keeps files that are up to date untouched", async () => {
    const target = testFolder();
    await writeProject(target, files(FIRST), gently);
    for (const path of Object.keys(FIRST)) utimesSync(join(target, path), 1, 1);
    utimesSync(join(target, ".graphloom/files.json"), 1, 1);
    expect(await writeProject(target, files(FIRST), gently)).toEqual({
      kind: "written",
      written: [],
      removed: [],
      unchanged: Object.keys(FIRST),
      kept: [],
    });
    for (const path of [...Object.keys(FIRST), ".graphloom/files.json"]) {
      expect(statSync(join(target, path)).mtimeMs).toBe(1000);
    }
  });

  test("is left unchanged without force, and the error names every conflict", async () => {
    const target = testFolder();
    plant(target, { "subgraph.yaml": "mine", "src/mapping.ts": "mine too", "generated/Tok": "a file" });
    const before = everything(target);
    expect(await writeProject(target, files(FIRST), gently)).toEqual({
      kind: "refused",
      conflicts: ["generated/Tok/Tok.ts", "src/mapping.ts", "subgraph.yaml"],
    });
    expect(everything(target)).toEqual(before);
  });

  test("is refused without force even when graphloom wrote the files", async () => {
    const target = testFolder();
    await writeProject(target, files(FIRST), gently);
    const before = everything(target);
    expect(await writeProject(target, files(SECOND), gently)).toEqual({
      kind: "refused",
      conflicts: ["subgraph.yaml"],
    });
    expect(everything(target)).toEqual(before);
  });

  test("is replaced with force, and obsolete files go with their folders", async () => {
    const target = testFolder();
    await writeProject(target, files(FIRST), gently);
    plant(target, { "src/mine.ts": "m" });
    expect(await writeProject(target, files(SECOND), force)).toEqual({
      kind: "written",
      written: ["src/more/calls.ts", "subgraph.yaml"],
      removed: ["generated/Tok/Tok.ts"],
      unchanged: ["src/mapping.ts"],
      kept: [],
    });
    expect(tree(target)).toEqual({ ...SECOND, "src/mine.ts": "m" });
  });

  test("keeps a file that the user changed, permanently", async () => {
    const target = testFolder();
    await writeProject(target, files(FIRST), gently);
    plant(target, { "generated/Tok/Tok.ts": "improved" });
    expect(await writeProject(target, files(SECOND), force)).toMatchObject({
      removed: [],
      kept: ["generated/Tok/Tok.ts"],
    });
    expect(tree(target)).toEqual({ ...SECOND, "generated/Tok/Tok.ts": "improved" });
    expect(await writeProject(target, files(SECOND), force)).toMatchObject({ kept: [] });
  });

  test("keeps obsolete files until force is used", async () => {
    const target = testFolder();
    await writeProject(target, files(FIRST), gently);
    const less = files({ "subgraph.yaml": "one" });
    expect(await writeProject(target, less, gently)).toMatchObject({
      kind: "written",
      written: [],
      kept: ["generated/Tok/Tok.ts", "src/mapping.ts"],
    });
    expect(await writeProject(target, less, force)).toMatchObject({
      removed: ["generated/Tok/Tok.ts", "src/mapping.ts"],
    });
    expect(tree(target)).toEqual({ "subgraph.yaml": "one" });
  });

  test("is not changed when the run is interrupted", async () => {
    const target = testFolder();
    await writeProject(target, files(FIRST), gently);
    const before = everything(target);
    const result = await writeProject(target, files(SECOND), { force: true, signal: AbortSignal.abort() });
    expect(result).toMatchObject({ kind: "failed", reason: "interrupted" });
    expect(everything(target)).toEqual(before);
  });

  test("is not changed when a folder is in the way of a file, even with force", async () => {
    const target = testFolder();
    await writeProject(target, files(FIRST), gently);
    plant(target, { "src/more/calls.ts/note": "x" });
    const before = everything(target);
    expect(await writeProject(target, files(SECOND), force)).toEqual({
      kind: "failed",
      path: "src/more/calls.ts",
      reason: "a folder is in its place",
    });
    expect(await writeProject(target, files(SECOND), gently)).toMatchObject({
      kind: "refused",
      conflicts: ["src/more/calls.ts", "subgraph.yaml"],
    });
    expect(everything(target)).toEqual(before);
  });

  test("may be a link to a folder, but not a broken link or a file", async () => {
    const folder = testFolder();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    symlinkSync("nowhere", join(folder, "dangling"));
    plant(folder, { file: "f" });
    expect(await writeProject(join(folder, "link"), files({ a: "1" }), gently)).toMatchObject({
      kind: "written",
    });
    expect(tree(join(folder, "real"))).toEqual({ a: "1" });
    expect(await writeProject(join(folder, "dangling"), files({ a: "1" }), gently)).toMatchObject({
      kind: "failed",
      reason: "it is a broken link, or was removed in the meantime",
    });
    expect(await writeProject(join(folder, "file"), files({ a: "1" }), gently)).toMatchObject({
      kind: "failed",
      reason: "it is not a folder",
    });
    expect(tree(folder)).toMatchObject({ file: "f", dangling: "(link)" });
  });
});

describe("a path that leads out of the target", () => {
  const paths: [string, string][] = [
    ["/etc/passwd", "it is absolute"],
    ["C:/x", "it is absolute"],
    ["../x", 'it contains ".."'],
    ["a/../../x", 'it contains ".."'],
    ["a/./x", 'it contains "."'],
    ["a//x", "it has an empty segment"],
    ["a/", "it has an empty segment"],
    ["", "it has an empty segment"],
    ["a\\..\\x", "it contains a backslash"],
    ["a\0b", "it contains a NUL character"],
    ["src/con.ts", '"con.ts" is a Windows device name'],
    ["AUX", '"AUX" is a Windows device name'],
    ["a./x", '"a." ends in a dot or a space, which Windows drops'],
    ["ab:c", '"ab:c" has a character that Windows does not allow'],
    ["a\nb", '"a\nb" has a character that Windows does not allow'],
    [".graphloom/files.json", '".graphloom" is reserved for graphloom'],
    [".GraphLoom/lock", '".graphloom" is reserved for graphloom'],
  ];
  test.each(paths)("is refused: %j", async (path, reason) => {
    const folder = testFolder();
    const result = await writeProject(join(folder, "out"), files({ ok: "1", [path]: "2" }), force);
    expect(result).toEqual({ kind: "unsafe", path, reason });
    expect(everything(folder)).toEqual({});
  });

  test("is refused when it collides with a different path", async () => {
    const target = join(testFolder(), "out");
    expect(await writeProject(target, files({ "src/A.ts": "", "src/a.ts": "" }), force)).toMatchObject({
      kind: "unsafe",
      reason: 'it differs from "src/A.ts" in case only',
    });
    expect(await writeProject(target, files({ "src/a": "", "src/a/b": "" }), force)).toMatchObject({
      kind: "unsafe",
      reason: '"src/a" is a file',
    });
  });

  test.each(["src", "src/mapping.ts", ".graphloom"])("is refused when it is a link at %s", async (place) => {
    const folder = testFolder();
    const target = join(folder, "out");
    plant(folder, { "elsewhere/mapping.ts": "theirs", "out/note": "n" });
    mkdirSync(join(target, "src"));
    rmSync(join(target, place), { recursive: true, force: true });
    symlinkSync(join(folder, "elsewhere"), join(target, place));
    const before = everything(folder);
    expect(await writeProject(target, files(FIRST), force)).toMatchObject({ kind: "unsafe" });
    expect(everything(folder)).toEqual({ ...before, ...(place === "src/mapping.ts" && {}) });
  });
});

describe("two runs on one target", () => {
  test("do not mix their files", async () => {
    const target = testFolder();
    const results = await Promise.all([
      writeProject(target, files(FIRST), force),
      writeProject(target, files(SECOND), force),
    ]);
    expect(results.map((result) => result.kind)).toEqual(["written", "failed"]);
    expect(results[1]).toMatchObject({
      reason: expect.stringMatching(
        /^process \d+ on ".+" is writing to it; if that process no longer exists, remove ".+lock"$/,
      ),
    });
    expect(tree(target)).toEqual(FIRST);
  });

  test("leave one of two projects when both create it", async () => {
    const folder = testFolder();
    const target = join(folder, "out");
    const results = await Promise.all(
      [FIRST, SECOND].map((each) => writeProject(target, files(each), gently)),
    );
    expect(results.map((result) => result.kind).sort()).toEqual(["failed", "written"]);
    expect(tree(target)).toEqual(results[0]?.kind === "written" ? FIRST : SECOND);
    expect(Object.keys(everything(folder)).every((path) => path.startsWith("out/"))).toBe(true);
  });
});

test("the writer does nothing when the target to recover does not exist", async () => {
  const folder = testFolder();
  await recover(join(folder, "nothing"));
  plant(folder, { "out/a": "1" });
  await recover(join(folder, "out"));
  expect(everything(folder)).toEqual({ "out/a": "1" });
});

test("the writer writes bytes unchanged", async () => {
  const target = join(testFolder(), "out");
  const wasm = Uint8Array.of(0, 97, 115, 109, 255);
  await writeProject(target, new Map([["a.wasm", wasm]]), gently);
  expect(new Uint8Array(readFileSync(join(target, "a.wasm")))).toEqual(wasm);
  writeFileSync(join(target, "a.wasm"), wasm.subarray(1));
  expect(await writeProject(target, new Map([["a.wasm", wasm]]), gently)).toMatchObject({ kind: "refused" });
});
