import { describe, expect, test } from "vitest";
import { importNames } from "../../../src/subgraph/runnable/import-names.js";

const text = (word: string): readonly number[] => [word.length, ...Buffer.from(word)];
const entry = (name: string, ...description: readonly number[]) => [
  ...text("env"),
  ...text(name),
  ...description,
];
const section = (id: number, content: readonly number[]) => [id, content.length, ...content];
const module = (...sections: readonly (readonly number[])[]) =>
  Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);

describe("the names of what a module imports", () => {
  test("are those of its functions, tables, memories and globals", () => {
    const imports = [
      ...entry("abort", 0, 3),
      ...entry("table", 1, 0x70, 1, 2, 0x80, 1),
      ...entry("memory", 2, 0, 1),
      ...entry("global", 3, 0x7f, 0),
      ...entry("ipfs.cat", 0, 0x85, 1),
    ];
    const types = section(1, [1, 0x60, 0, 0]);
    expect(importNames(module(types, section(2, [5, ...imports]), section(3, [0])))).toEqual([
      ...["abort", "table", "memory", "global", "ipfs.cat"],
    ]);
  });

  test("are none where there are no imports", () => {
    expect(importNames(module(section(1, [0]), section(3, [0])))).toEqual([]);
  });

  test.each([
    ["nothing", []],
    ["a header", [0, 0x61, 0x73, 0x6d]],
    ["a section without an end", [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 2, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ["more imports than bytes", [...module(section(2, [0xff, 0xff, 0xff, 0xff, 0x7f, 1]))]],
  ])("are found without an error in %s", (_, bytes) => {
    expect(importNames(Uint8Array.from(bytes)).length).toBeLessThan(2);
  });
});
