import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeFolders } from "../../../src/compiler/write/make-folders.js";
import { writeProject } from "../../../src/compiler/write/write-project.js";
import { plant, testFolder } from "../../support/folder.js";
import { files } from "./harness.js";

describe("making folders", () => {
  it("makes all missing folders and returns the outermost", () => {
    const folder = testFolder();
    expect(makeFolders(join(folder, "a/b/c"), 0o700)).toBe(join(folder, "a"));
    expect(statSync(join(folder, "a/b/c")).mode & 0o777).toBe(0o700);
    expect(makeFolders(join(folder, "a/b/d"))).toBe(join(folder, "a/b/d"));
    expect(makeFolders(join(folder, "a/b"))).toBeUndefined();
  });

  it("throws where a file is in the way", () => {
    const folder = testFolder();
    plant(folder, { file: "" });
    expect(() => makeFolders(join(folder, "file/a"))).toThrow(/ENOTDIR/);
  });
});

// Node's own recursive mkdir never returns there.
describe.runIf(existsSync("/proc/self"))("a place where no folder can be made", () => {
  it("ends with an error", () => {
    expect(() => makeFolders("/proc/none/a")).toThrow(/ENOENT/);
  });

  it("stops a project from being written, with an error", async () => {
    expect(await writeProject("/proc/none/out", files({ a: "1" }), { force: false })).toEqual({
      kind: "failed",
      path: "/proc/none",
      reason: "no folder can be created there",
    });
  });
});
