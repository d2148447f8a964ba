import { expect, it } from "vitest";
import { groupBy } from "../../src/base/group-by.js";

it("groupBy groups in order of first appearance", () => {
  expect([...groupBy(["b1", "a1", "b2"], (text) => text.charAt(0))]).toEqual([
    ["b", ["b1", "b2"]],
    ["a", ["a1"]],
  ]);
  expect(groupBy([], String).size).toBe(0);
});
