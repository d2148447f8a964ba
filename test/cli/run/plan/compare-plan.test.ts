import { describe, expect, it } from "vitest";
import { comparePlan, comparisonText } from "../../../../src/cli/run/plan/compare-plan.js";
import { sourceOf } from "../../../../src/cli/run/plan/show-plan.js";
import type { MadePlan } from "../../../../src/cli/run/run-planned.js";
import type { Estimate } from "../../../../src/runtime/indexer/estimate-requests.js";

const figure = (estimate: number): Estimate => ({ estimate, least: 0, most: 9_999, from: ["logs"] });

const plan: MadePlan = {
  kind: "plan",
  from: 1,
  fromSource: "configuration",
  to: 100,
  toSource: "chain head",
  logs: { estimate: 10, found: 10, ranges: 1, blocks: 100 },
  samples: [],
  load: {
    methods: [{ method: "eth_call", calls: figure(10), bytes: figure(100) }],
    calls: figure(10),
    bytes: figure(4_096),
    triggers: figure(0),
    versions: figure(8),
    seconds: figure(12.34),
    database: figure(1_000),
    archive: figure(2_048),
  },
  notes: [],
};

const real = {
  requests: {
    total: 21,
    once: new Map([["eth_chainId", { calls: 1, bytes: 24 }]]),
    methods: new Map([["eth_call", { calls: 20, bytes: 1_000 }]]),
    logs: 0,
    blocksWithLogs: 0,
  },
  triggers: 3,
  versions: 4,
  seconds: 60,
  database: undefined,
  archive: 2_048,
};

describe("comparePlan", () => {
  it("shows each figure once, also for methods that were not planned, and no figure of the disk without a folder", () => {
    const figures = comparePlan(plan, real);
    expect(figures.map(({ figure, planned, real }) => [figure, planned, real])).toEqual([
      ["eth_call", 10, 20],
      ["eth_chainId", 0, 1],
      ["requests", 10, 21],
      ["answers", 4_096, 1_024],
      ["triggers", 0, 3],
      ["entity versions", 8, 4],
      ["time", 12.34, 60],
      ["archive", 2_048, 2_048],
    ]);
    expect(comparisonText("mainnet", figures)).toBe(
      [
        "mainnet: planned and real",
        "  FIGURE           PLANNED  REAL  REAL/PLANNED",
        "  eth_call              10    20          2.00",
        "  eth_chainId            0     1             -",
        "  requests              10    21          2.10",
        "  answers             4 KB  1 KB          0.25",
        "  triggers               0     3             -",
        "  entity versions        8     4          0.50",
        "  time              12.3 s  60 s          4.86",
        "  archive             2 KB  2 KB          1.00",
        "",
      ].join("\n"),
    );
  });
});

describe("sourceOf", () => {
  it.each([
    [["run"], "once per run"],
    [["whole"], "measured"],
    [["whole", "run"], "measured"],
    [["logs"], "samples, per log"],
    [["stretches", "demanded", "run"], "samples, per request for logs and per block run; once per run"],
    [[], "samples: none"],
  ] as const)("names the source of a figure: %j", (from, expected) => {
    expect(sourceOf(from)).toBe(expected);
  });
});
