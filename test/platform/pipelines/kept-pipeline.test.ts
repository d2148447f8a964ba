import { expect, it } from "vitest";
import { restartAfter } from "../../../src/platform/pipelines/kept-pipeline.js";

it("the server starts a pipeline again later each time it dies, and gives up at last", () => {
  const pauses: number[] = [];
  for (let deaths = 0; ; ) {
    const restart = restartAfter(deaths, 1_000, 0.999);
    if (!restart) break;
    deaths = restart.deaths;
    pauses.push(Math.round(restart.pause / 1_000));
  }
  expect(pauses.slice(0, 11)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
  expect(pauses).toHaveLength(29);
});

it("the server counts from the beginning once a process has run for ten minutes", () => {
  expect(restartAfter(29, 600_000, 0)).toEqual({ deaths: 1, pause: 1_000 });
  expect(restartAfter(29, 599_999, 0)).toBeUndefined();
});

it("the server never gives up a pipeline that the database keeps from beginning", () => {
  expect(restartAfter(0, 1_000, 0.999, true)).toEqual({ deaths: 1, pause: expect.closeTo(1_000, -2) });
  expect(restartAfter(29, 1_000, 0.999, true)).toEqual({ deaths: 29, pause: expect.closeTo(60_000, -3) });
});
