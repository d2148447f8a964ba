import fc from "fast-check";
import { expect, it } from "vitest";
import { nestsDeeper } from "../../../src/base/text/json-depth.js";

/** How deeply a value is nested, computed a second way. */
const depthOf = (value: unknown): number =>
  typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

it("nestsDeeper measures the depth of any JSON, also if its strings contain brackets", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value);
      const depth = depthOf(value);
      expect([nestsDeeper(text, depth), depth > 0 && nestsDeeper(text, depth - 1)]).toEqual([
        false,
        depth > 0,
      ]);
    }),
  );
});

it.each([
  ['"[[[["', 0, false],
  ['"\\"[["', 0, false],
  ['["\\\\",[1]]', 1, true],
  ["[".repeat(1_000_000), 100, true],
])("%.20j nests deeper than %i levels: %j", (text, allowed, nests) => {
  expect(nestsDeeper(text, allowed)).toBe(nests);
});
