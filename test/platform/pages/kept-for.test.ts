import { expect, it } from "vitest";
import { createKept } from "../../../src/platform/pages/kept-for.js";

it("keptFor reads again after the clock was set back", async () => {
  let now = 10_000_000;
  let reads = 0;
  const kept = createKept<number>({ now: () => now });
  const ask = () => kept("key", async () => ++reads);
  expect([await ask(), await ask()]).toEqual([1, 1]);
  now -= 3_600_000;
  expect([await ask(), await ask()]).toEqual([2, 2]);
});
