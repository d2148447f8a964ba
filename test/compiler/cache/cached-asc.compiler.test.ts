import { describe, expect, it } from "vitest";
import type { Asc, AscInput, AscOutput } from "../../../src/compiler/asc/asc.js";
import { cachedAsc } from "../../../src/compiler/cache/cached-asc.js";
import { ascEachTime as asc } from "../../support/compiler/asc.js";
import { handler } from "../asc/harness.js";
import { memoryCache } from "./memory-cache.js";

/** The compiler, with a count of its compilations. */
function counting(answer?: AscOutput): Asc & { asked: number } {
  return {
    asked: 0,
    async compile(input) {
      this.asked += 1;
      return answer ?? asc.compile(input);
    },
    prepare: () => undefined,
    close: async () => undefined,
  };
}

const sound: AscInput = { ...handler("assert(event.logIndex.isZero());"), mode: "fast" };
const typed: AscInput = {
  ...handler("let x = event.block.number;"),
  expressions: [{ file: "src/mapping.ts", start: 0, end: 5 }],
};

describe("a program", () => {
  it.each<[string, AscInput]>([
    ["that is valid", sound],
    ["with warnings", handler("let x: i32 = null; assert(x == 0);")],
    ["that is rejected", handler('let x: i32 = "a";')],
    ["with expressions", typed],
  ])("%s is compiled once, and the cache returns the same result", async (_, input) => {
    const cache = memoryCache();
    const compiler = counting();
    const fresh = await cachedAsc(compiler, cache).compile(input);
    expect(await cachedAsc(compiler, cache).compile(input)).toEqual(fresh);
    expect(compiler.asked).toBe(1);
    expect(await asc.compile(input)).toEqual(fresh);
  });

  it.each<[string, Partial<AscInput>]>([
    ["the entry", { entry: "src/other.ts" }],
    ["the mode", { mode: "full" }],
    ["a file's content", { files: new Map([...sound.files, ["src/mapping.ts", "export const x = 1;"]]) }],
    ["a file's name", { files: new Map([...sound.files].map(([path, text]) => [`${path}x`, text])) }],
    ["the number of files", { files: new Map([...sound.files, ["src/more.ts", ""]]) }],
    ["the library", { graphTs: new Map([...sound.graphTs, ["more.ts", ""]]) }],
    ["an expression", { expressions: [{ file: "src/mapping.ts", start: 0, end: 1 }] }],
  ])("is compiled again when %s changes", async (_, change) => {
    const cache = memoryCache();
    const compiler = counting({ kind: "compiled", warnings: [], types: [] });
    await cachedAsc(compiler, cache).compile(sound);
    await cachedAsc(compiler, cache).compile({ ...sound, ...change });
    expect(compiler.asked).toBe(2);
  });

  it.each<AscOutput>([
    { kind: "crashed", message: "out of memory" },
    { kind: "hung", seconds: 60 },
  ])("is compiled again after it $kind", async (answer) => {
    const cache = memoryCache();
    const compiler = counting(answer);
    expect(await cachedAsc(compiler, cache).compile(sound)).toEqual(answer);
    await cachedAsc(compiler, cache).compile(sound);
    expect([compiler.asked, cache.entries.size]).toEqual([2, 0]);
  });
});
