import { expect, test } from "vitest";
import { IdFilter } from "../../../src/store/entities/id-filter.js";

test.each([
  ["hashes with a number", (index: number) => `0x${"ab".repeat(32)}${index.toString(16).padStart(8, "0")}`],
  ["numbers", (index: number) => String(index)],
  [
    "random strings",
    (index: number) => `${Math.imul(index, 0x9e3779b1) >>> 0}-${Math.imul(index, 0x85ebca6b) >>> 0}`,
  ],
])("a filter of %s finds all added ids and few others", (_, idOf) => {
  const filter = new IdFilter();
  const many = 250_000;
  for (let index = 0; index < many; index++) filter.add(idOf(index));
  let missed = 0;
  let wrong = 0;
  for (let index = 0; index < many; index++) {
    if (!filter.mayHave(idOf(index))) missed += 1;
    if (filter.mayHave(idOf(index + many))) wrong += 1;
  }
  expect(missed).toBe(0);
  expect(wrong / many).toBeLessThan(0.03);
});

test("an empty filter finds nothing", () => {
  expect(new IdFilter().mayHave("")).toBe(false);
});
