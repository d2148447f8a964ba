import { expect, it } from "vitest";
import { createPace } from "../../../src/base/turns/pace.js";

it("a pace spaces out requests, and does not save up unused time", async () => {
  let now = 1000;
  const waits: number[] = [];
  const world = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
      now += milliseconds;
    },
  };
  const pace = createPace(4, world);
  for (let request = 0; request < 3; request += 1) await pace();
  now += 10_000;
  await pace();
  await Promise.all([pace(), pace()]);
  expect(waits).toEqual([250, 250, 250, 250]);
  now += 250;
  await pace(3);
  await pace();
  expect(waits.slice(4)).toEqual([750]);
});
