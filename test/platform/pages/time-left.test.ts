import { expect, it } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { aboutText, createTimeLeft } from "../../../src/platform/pages/subgraph/time-left.js";

const catchingUp: HostedStatus = {
  health: "healthy",
  isSynced: false,
  nonFatalErrors: [],
  startBlock: 0,
  headBlock: 0,
  chainHeadBlock: 1_000,
};

it("the time left follows from the speed of the last minutes", () => {
  let now = 0;
  const timeLeft = createTimeLeft({ now: () => now });
  const left = (headBlock: number) => timeLeft("QmPools", { ...catchingUp, headBlock });
  expect(left(0)).toBeUndefined();
  now = 10_000;
  expect(left(100)).toBe(90_000);
  expect(timeLeft("QmOther", catchingUp)).toBeUndefined();
  // After a reorganisation, only what was seen before it counts.
  now = 20_000;
  expect(left(50)).toBe(950 * (20_000 / 50));
});

it("no time is left once a deployment is synced or has failed", () => {
  let now = 0;
  const timeLeft = createTimeLeft({ now: () => now });
  for (const ended of [{ isSynced: true }, { health: "failed" }] as const) {
    timeLeft("QmPools", catchingUp);
    now += 10_000;
    expect(timeLeft("QmPools", { ...catchingUp, headBlock: 100, ...ended })).toBeUndefined();
    now += 10_000;
    expect(timeLeft("QmPools", { ...catchingUp, headBlock: 200 })).toBeUndefined();
  }
});

it.each([
  [59_000, "about a minute"],
  [61_000, "about 2 minutes"],
  [89 * 60_000, "about 89 minutes"],
  [91 * 60_000, "about 2 hours"],
  [37 * 3_600_000, "about 2 days"],
])("%d milliseconds are %s", (milliseconds, text) => {
  expect(aboutText(milliseconds)).toBe(text);
});
