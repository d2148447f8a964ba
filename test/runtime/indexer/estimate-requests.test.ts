import { describe, expect, it } from "vitest";
import {
  estimateLoad,
  type SampleLoad,
  samplePlaces,
  stretches,
} from "../../../src/runtime/indexer/estimate-requests.js";

const load = (calls: number) => ({ calls, bytes: calls * 10 });

function sample(blocks: number, reads: number, logRequests: number): SampleLoad {
  return {
    from: 0,
    blocks,
    logs: 0,
    demanded: 5,
    seconds: 2,
    once: new Map([["eth_chainId", load(1)]]),
    methods: new Map([
      ["eth_call", load(reads)],
      ["eth_getLogs", load(logRequests)],
      ["eth_getBlockByNumber", load(12)],
    ]),
  };
}

describe("estimateLoad", () => {
  it("scales requests by blocks, those for logs by stretches, and some not at all", () => {
    const { methods, seconds } = estimateLoad([sample(25, 10, 2), sample(25, 30, 2)], 175);
    const calls = Object.fromEntries(methods.map(({ method, calls }) => [method, calls]));
    expect(calls).toEqual({
      eth_call: { estimate: 140, least: 70, most: 210 },
      // 25, 50 and 100 blocks.
      eth_getLogs: { estimate: 6, least: 6, most: 6 },
      // 7 for each stretch, and 1 for each 5 blocks.
      eth_getBlockByNumber: { estimate: 56, least: 56, most: 56 },
      eth_chainId: { estimate: 1, least: 1, most: 1 },
    });
    expect(seconds).toEqual({ estimate: 14, least: 14, most: 14 });
  });
});

describe("stretches", () => {
  it.each([
    [25, 0, 1],
    [26, 0, 2],
    [175, 0, 3],
    [10, 0, 1],
    [100, 200, 4],
  ])("are as many as a run has: %i blocks of %i logs", (blocks, logs, expected) => {
    expect(stretches(blocks, logs)).toBe(expected);
  });
});

describe("samplePlaces", () => {
  it("are spread from the first block to the last", () => {
    expect(samplePlaces({ from: 100, to: 1099 }, 3, 100)).toEqual([
      { from: 100, to: 199 },
      { from: 550, to: 649 },
      { from: 1000, to: 1099 },
    ]);
    expect(samplePlaces({ from: 0, to: 9 }, 1, 2)).toEqual([{ from: 4, to: 5 }]);
  });

  it("are one, the whole range, when they would cover it", () => {
    expect(samplePlaces({ from: 5, to: 104 }, 2, 50)).toEqual([{ from: 5, to: 104 }]);
  });
});
