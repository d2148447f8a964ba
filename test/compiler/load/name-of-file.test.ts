import { expect, test } from "vitest";
import { nameOfFile } from "../../../src/compiler/load/name-of-file.js";

test.each([
  ["pools.json", "pools"],
  ["./a/b/Pools_2.YAML", "Pools_2"],
  ["c:\\work\\pools.json5", "pools"],
  ["my pools.v2.yml", "my-pools-v2"],
  ["pools", "pools"],
  ["-", undefined],
  ["<stdin>", undefined],
  [".json", undefined],
  ["2pools.json", undefined],
  ["пулы.json", undefined],
  ["a/..", undefined],
  ["", undefined],
])("the file %j gives the name %j", (path, name) => {
  expect(nameOfFile(path)).toBe(name);
});
