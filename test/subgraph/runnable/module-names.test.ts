import { describe, expect, test } from "vitest";
import { exportNames, importNames } from "../../../src/subgraph/runnable/module-names.js";

const text = (word: string): readonly number[] => [word.length, ...Buffer.from(word)];
const entry = (name: string, ...description: readonly number[]) => [
  ...text("env"),
  ...text(name),
  ...description,
];
const section = (id: number, content: readonly number[]) => [id, content.length, ...content];
const module = (...sections: readonly (readonly number[])[]) =>
  Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);

describe("the names of a module's imports", () => {
  test("name its functions, tables, memories and globals", () => {
    const imports = [
      ...entry("abort", 0, 3),
      ...entry("table", 1, 0x70, 1, 2, 0x80, 1),
      ...entry("memory", 2, 0, 1),
      ...entry("global", 3, 0x7f, 0),
      ...entry("ipfs.cat", 0, 0x85, 1),
    ];
    const types = section(1, [1, 0x60, 0, 0]);
    expect(importNames(module(types, section(2, [5, ...imports]), section(3, [0])))).toEqual([
      "abort",
      "table",
      "memory",
      "global",
      "ipfs.cat",
    ]);
  });

  test("are empty without imports", () => {
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

describe("the names of a module's exports", () => {
  test("are the names of all its exports", () => {
    const exports = [...text("memory"), 2, 0, ...text("handleA"), 0, 0x85, 1, ...text("g"), 3, 0];
    const bytes = module(section(2, [1, ...entry("abort", 0, 3)]), section(7, [3, ...exports]));
    expect(exportNames(bytes)).toEqual(["memory", "handleA", "g"]);
    expect(importNames(bytes)).toEqual(["abort"]);
  });

  test("are empty without exports", () => {
    expect(exportNames(module(section(2, [1, ...entry("abort", 0, 3)])))).toEqual([]);
    expect(exportNames(Uint8Array.of())).toEqual([]);
  });
});
