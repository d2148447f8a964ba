import { expect, it } from "vitest";
import { allOperations } from "../../../src/api/api-document.js";
import { counterparts } from "../../../src/platform/pages/for-programs.js";

it("sends programs from pages to operations that exist", () => {
  const known = new Set(
    allOperations
      .filter(({ method }) => method === "GET")
      .map(({ path }) => path.replaceAll(/\{\w+\}/g, ":")),
  );
  const asked = Object.values(counterparts).map((path) => path.replaceAll(/:\w+/g, ":"));
  expect(asked.filter((path) => !known.has(path))).toEqual([]);
});
