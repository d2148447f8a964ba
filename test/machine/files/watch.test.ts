import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createFileWatcher } from "../../../src/machine/files/watch.js";
import { testFolder } from "../../support/folder.js";

let folder: string;
let abort: AbortController;
beforeEach(() => {
  folder = testFolder();
  abort = new AbortController();
});
afterEach(() => abort.abort());

/** A watcher of these files in the folder. */
function watching(...names: string[]) {
  const watcher = createFileWatcher(abort.signal);
  for (const name of names) watcher.note(join(folder, name));
  return {
    watcher,
    change: async () => (await watcher.change()).map((path) => path.slice(folder.length + 1)),
  };
}

describe("a watched file", () => {
  it.each([
    ["written", () => writeFileSync(join(folder, "a"), "other text")],
    [
      "replaced by another file",
      () => {
        writeFileSync(join(folder, "a.tmp"), "abc");
        renameSync(join(folder, "a.tmp"), join(folder, "a"));
      },
    ],
    ["removed", () => rmSync(join(folder, "a"))],
  ])("is reported when it is %s", async (_, act) => {
    writeFileSync(join(folder, "a"), "abc");
    writeFileSync(join(folder, "b"), "abc");
    const changed = watching("a", "b").change();
    setTimeout(act, 50);
    expect(await changed).toEqual(["a"]);
  });

  it("is reported when it is created, and its folder with it", async () => {
    const changed = watching("x/a").change();
    setTimeout(() => {
      mkdirSync(join(folder, "x"));
      writeFileSync(join(folder, "x/a"), "");
    }, 50);
    expect(await changed).toEqual(["x/a"]);
  });

  it("is reported at once when it changed before the wait", async () => {
    writeFileSync(join(folder, "a"), "abc");
    const { change } = watching("a");
    writeFileSync(join(folder, "a"), "abcd");
    expect(await change()).toEqual(["a"]);
  });

  it("is reported once all changes have settled", async () => {
    const { change } = watching("a", "b");
    const changed = change();
    writeFileSync(join(folder, "a"), "1");
    setTimeout(() => writeFileSync(join(folder, "b"), "1"), 5);
    expect(await changed).toEqual(["a", "b"]);
  });

  it("is not reported when a file beside it changes", async () => {
    writeFileSync(join(folder, "a"), "abc");
    const { change } = watching("a");
    const changed = change();
    writeFileSync(join(folder, "other"), "abc");
    setTimeout(() => writeFileSync(join(folder, "a"), "abcd"), 100);
    expect(await changed).toEqual(["a"]);
  });
});

it("the watcher ends when it is interrupted", async () => {
  const { change } = watching("a");
  setTimeout(() => abort.abort(), 20);
  expect(await change()).toEqual([]);
});
