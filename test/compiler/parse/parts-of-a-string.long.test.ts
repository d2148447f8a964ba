import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRun } from "../../support/property/property-run.js";
import { digString, pieces, read } from "./harness.js";

test("the parser locates every part of any string", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const node = digString(read("a.json", JSON.stringify({ k: value })).tree, "k");
      expect(node.value).toBe(value);
      expect(pieces(node).map((piece) => JSON.parse(`"${piece}"`))).toEqual(value.split(""));
    }),
    propertyRun(),
  );
});
