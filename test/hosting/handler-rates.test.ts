import { expect, it } from "vitest";
import { HandlerRates } from "../../src/hosting/embedded/handler-rates.js";

/** Rates on a clock that the test sets, in seconds. */
function measured() {
  let now = 0;
  const rates = new HandlerRates({ now: () => now * 1_000 });
  const see = (at: number, counts: Readonly<Record<string, number>> = {}): void => {
    now = at;
    const runs = Object.entries(counts).map(([handler, count]) => ({ source: "Pool", handler, count }));
    if (runs.length > 0) rates.add(runs, at * 1_000);
  };
  const all = () => Object.fromEntries(rates.all.map(({ handler, perSecond }) => [handler, perSecond]));
  return { rates, see, all };
}

it("measures each handler over the last minute", () => {
  const { see, all } = measured();
  see(0, { swap: 100 });
  expect(all()).toEqual({});
  see(10, { swap: 130 });
  expect(all()).toEqual({ swap: 3 });
  for (let at = 11; at <= 100; at += 1) see(at, { swap: 130 + 5 * (at - 10), mint: at });
  expect(all()).toEqual({ swap: 5, mint: 1 });
});

it("counts a handler that has not run before from its first run", () => {
  const { see, all } = measured();
  see(0, { swap: 1 });
  see(10, { swap: 1, mint: 20 });
  expect(all()).toEqual({ swap: 0, mint: 2 });
});

it("knows the rates of a chain with a block every 12 seconds", () => {
  const { see, all } = measured();
  for (let block = 0; block < 20; block += 1) see(block * 12, { swap: block * 6 });
  expect(all()).toEqual({ swap: 0.5 });
});

it("falls to zero when nothing runs any more", () => {
  const { see, all } = measured();
  see(0, { swap: 0 });
  see(30, { swap: 60 });
  see(60);
  expect(all()).toEqual({ swap: 1 });
  see(200);
  expect(all()).toEqual({ swap: 0 });
});

it("begins again with a new thread", () => {
  const { rates, see, all } = measured();
  see(0, { swap: 1_000 });
  see(10, { swap: 2_000 });
  rates.clear();
  see(20, { swap: 1 });
  expect(all()).toEqual({});
  see(30, { swap: 11 });
  expect(all()).toEqual({ swap: 1 });
});
