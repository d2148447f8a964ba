import { describe, expect, it } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import {
  columnsOf,
  type Figure,
  figureStateOf,
  measure,
  queriesPerSecond,
  summed,
} from "../../../src/platform/figures/figure.js";
import { lastHour, rangeOf, spanOf } from "../../../src/platform/figures/ranges.js";
import { gathered } from "../../../src/platform/figures/read-history.js";

const healthy: HostedStatus = {
  health: "healthy",
  isSynced: true,
  nonFatalErrors: [],
  startBlock: 100,
  headBlock: 1_000_000_000,
  chainHeadBlock: 1_000_000_340,
  headTimestamp: 1_700_000_000,
  handlersPerSecond: 12.5,
};
const nothing = { fromMemory: 0, fromEngine: 0, refused: 0, failed: 0, minutes: 1 };
const minute = 60_000;

describe("the figures of a deployment", () => {
  it("is its state, its blocks, its lag in blocks and in seconds, and its rate", () => {
    expect(measure(false, healthy, { headAt: 1_700_000_075_400 })).toEqual({
      state: "synced",
      block: 1_000_000_000,
      chainBlock: 1_000_000_340,
      lagBlocks: 340,
      lagSeconds: 75,
      eventsPerSecond: 12.5,
    });
  });

  it("counts seconds by the chain's own clock, so that a recorded chain is not behind by years", () => {
    const head = { headAt: 1_900_000_000_000, headTime: 1_700_000_012_000 };
    expect(measure(false, healthy, head).lagSeconds).toBe(12);
  });

  it("is a lag of 0 seconds at the chain head, for a block of any age", () => {
    const measured = measure(
      false,
      { ...healthy, chainHeadBlock: 999_999_999 },
      { headAt: 1_900_000_000_000 },
    );
    expect([measured.lagBlocks, measured.lagSeconds]).toEqual([0, 0]);
  });

  it("has no lag without a chain head, and no lag in seconds without the time of its block", () => {
    const { chainHeadBlock: _, ...headless } = healthy;
    expect(measure(false, headless, undefined).lagBlocks).toBeUndefined();
    const { headTimestamp: __, ...timeless } = healthy;
    expect(measure(false, timeless, { headAt: 1 }).lagSeconds).toBeUndefined();
  });

  it("is a lag of all blocks before the first block", () => {
    const { headBlock: _, ...fresh } = healthy;
    expect(measure(false, { ...fresh, chainHeadBlock: 149 }, undefined).lagBlocks).toBe(50);
  });

  it("is only the state while its engine does not answer", () => {
    const away = { ...healthy, engineState: { since: 1, why: "away" } };
    expect(measure(false, away, { headAt: 1 })).toEqual({ state: "waiting" });
  });

  it.each([
    ["failed", false, { health: "failed" }],
    ["failed", true, { health: "failed" }],
    ["paused", true, {}],
    ["waiting", false, { nodeState: { kind: "away", why: "away" } }],
    ["waiting", false, { health: "unhealthy", waitsFor: "the node" }],
    ["errors", false, { health: "unhealthy" }],
    ["indexing", false, { isSynced: false }],
    ["synced", false, {}],
    [undefined, false, { health: "unknown" }],
  ] as const)("is the state %s, paused %s, of %j", (state, isPaused, changed) => {
    expect(figureStateOf(isPaused, { ...healthy, ...changed })).toBe(state);
  });

  it("is nothing without a status", () => {
    expect(measure(true, undefined, { headAt: 1 })).toEqual({ state: undefined });
  });
});

describe("Figures of several minutes", () => {
  const figures: readonly Figure[] = [
    { at: 0, ...nothing, state: "synced", block: 10, lagBlocks: 1, eventsPerSecond: 2, fromMemory: 30 },
    { at: minute, ...nothing, state: "failed", block: 12, lagBlocks: 9, lagSeconds: 40, fromEngine: 60 },
    {
      at: 2 * minute,
      ...nothing,
      minutes: 2,
      state: "synced",
      block: 11,
      lagBlocks: 0,
      eventsPerSecond: 5,
      refused: 30,
      failed: 0,
    },
  ];

  it("have the most serious state, the last block, the greatest lag, the mean rate and all queries", () => {
    const one = summed(0, figures);
    expect(one).toMatchObject({ minutes: 4, state: "failed", block: 11, lagBlocks: 9, lagSeconds: 40 });
    expect(one.eventsPerSecond).toBe(4);
    expect(queriesPerSecond(one)).toBe(0.5);
  });

  it("come into the columns of their times, and leave the others empty", () => {
    const columns = columnsOf(figures, { from: minute, to: 5 * minute, step: minute });
    expect(columns.map((figure) => figure?.block)).toEqual([12, 11, undefined, undefined]);
    const wide = columnsOf(figures, { from: 0, to: 6 * minute, step: 3 * minute });
    expect(wide.map((figure) => figure?.minutes)).toEqual([4, undefined]);
  });
});

describe("Marks", () => {
  it("merge if they are close together, and are omitted outside of the time span", () => {
    const reorganisation = (when: number, blocks: number) =>
      ({ kind: "reorganisation", at: when, count: 1, blocks }) as const;
    const marks = [
      reorganisation(110, 2),
      reorganisation(100, 7),
      reorganisation(4_700, 1),
      reorganisation(4_800, 1),
    ];
    const deploy = { kind: "deploy", at: 101, count: 1, version: "2.0.0" } as const;
    expect(gathered([...marks, deploy, reorganisation(-1, 1)], { from: 0, to: 4_800, step: 100 })).toEqual([
      { kind: "reorganisation", at: 100, count: 2, blocks: 7 },
      deploy,
      reorganisation(4_700, 1),
    ]);
  });
});

describe("A range of a history", () => {
  it("is 24 hours unless its name is known", () => {
    expect([rangeOf("7d"), rangeOf("nothing"), rangeOf(null)].map(({ name }) => name)).toEqual([
      "7d",
      "24h",
      "24h",
    ]);
  });

  it("ends with the current column", () => {
    expect(lastHour(90 * minute + 1)).toEqual({ from: 31 * minute, to: 91 * minute, step: minute });
    expect(spanOf(rangeOf("24h"), 2_000 * minute)).toEqual({
      from: 565 * minute,
      to: 2_005 * minute,
      step: 5 * minute,
    });
  });
});
