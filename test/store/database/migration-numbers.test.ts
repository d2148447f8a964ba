import { readdirSync } from "node:fs";
import { expect, it } from "vitest";

it("migrations are numbered one after the other, each number once", () => {
  const folder = new URL("../../../src/store/database/migrations/", import.meta.url);
  const numbers = readdirSync(folder)
    .sort()
    .map((name) => Number(name.split("-")[0]));
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
});
