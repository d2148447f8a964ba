import { appendFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { loadWithCode } from "../../src/machine/script.js";
import { memoryCache } from "../compiler/cache/memory-cache.js";
import { testFolder } from "../support/folder.js";

let folder: string;
beforeEach(() => {
  folder = testFolder();
});

/** A script that counts its runs and requires a second script. */
function script(): string {
  writeFileSync(join(folder, "other.js"), "exports.name = 'other';");
  const file = join(folder, "script.js");
  writeFileSync(
    file,
    `globalThis.scriptRuns = (globalThis.scriptRuns ?? 0) + 1;
     module.exports = { twice: (x) => 2 * x, other: require("./other.js").name, __dirname, id: module.id };`,
  );
  return file;
}

describe("a script loaded with its code cache", () => {
  it("is the module that require returns, and does not run again", async () => {
    const file = script();
    await loadWithCode(file, memoryCache());
    const runs = Reflect.get(globalThis, "scriptRuns");
    const required = createRequire(import.meta.url)(file);
    expect(required.twice(21)).toBe(42);
    expect(required).toMatchObject({ other: "other", __dirname: folder, id: file });
    expect(Reflect.get(globalThis, "scriptRuns")).toBe(runs);
  });

  it("stores its code cache once, and reuses it", async () => {
    const file = script();
    const store = memoryCache();
    const { entries } = store;
    const keep = await loadWithCode(file, store);
    expect(entries.size).toBe(0);
    await keep();
    expect(entries.size).toBe(1);
    delete createRequire(file).cache[file];
    const keepAgain = await loadWithCode(file, store);
    await keepAgain();
    expect(entries.size).toBe(1);
    expect(createRequire(import.meta.url)(file).twice(4)).toBe(8);
  });

  it("runs normally when the code cache is invalid", async () => {
    const file = script();
    // V8 remembers source text that it has seen before.
    appendFileSync(file, "// nobody has seen this");
    const store = { ...memoryCache(), get: async () => Uint8Array.of(1, 2, 3) };
    const keep = await loadWithCode(file, store);
    expect(createRequire(import.meta.url)(file).twice(4)).toBe(8);
    await keep();
    expect([...store.entries.values()][0]?.length).toBeGreaterThan(3);
  });
});
