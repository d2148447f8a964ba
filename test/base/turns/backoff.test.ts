import { expect, it } from "vitest";
import { backoff } from "../../../src/base/turns/backoff.js";

const times = { first: 100, longest: 1_000 };

it("The wait doubles with each failure, up to the limit.", () => {
  const waits = [1, 2, 3, 4, 5, 6, 10_000].map((failures) => backoff(failures, times, 0.5));
  expect(waits).toEqual([75, 150, 300, 600, 750, 750, 750]);
});

it("Chance shortens the wait by up to half, or within the given shares.", () => {
  expect([0, 0.5, 1].map((chance) => backoff(1, times, chance))).toEqual([50, 75, 100]);
  expect([0, 0.5, 1].map((chance) => backoff(1, { ...times, jitter: [0, 1] }, chance))).toEqual([0, 50, 100]);
  expect([0, 1].map((chance) => backoff(9, { ...times, jitter: [0.8, 1.2] }, chance))).toEqual([800, 1_200]);
});
