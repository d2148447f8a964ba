import { describe, expect, it } from "vitest";
import type { SplitWork, Work } from "../../../src/runtime/indexer/density.js";
import { estimateLoad, type SampleLoad } from "../../../src/runtime/indexer/estimate-requests.js";

const load = (calls: number) => ({ calls, bytes: calls * 10 });
const none: Work = { blocks: 0, logs: 0, demanded: 0, stretches: 0 };

function sample(work: Work, reads: number, changes: Partial<SampleLoad> = {}): SampleLoad {
  return {
    from: 0,
    blocks: work.blocks,
    work,
    side: "asked",
    seconds: 3,
    startup: 1,
    once: new Map([["eth_chainId", load(1)]]),
    methods: new Map([
      ["eth_call", load(reads)],
      ["eth_getLogs", load(2 * work.stretches)],
      ["eth_getBlockByNumber", load(work.demanded + work.stretches)],
    ]),
    triggers: work.logs,
    versions: 2 * work.logs,
    database: 100 * work.logs,
    archive: { blocks: 10 * (work.demanded + work.stretches), logs: 20 * work.logs, answers: 5 * reads },
    ...changes,
  };
}

function range(changes: Partial<SplitWork>, more: object = {}) {
  const work = { kept: none, near: none, asked: none, ...changes };
  return { work, error: 0, demandsAll: false, isWhole: false, ...more };
}

const small: Work = { blocks: 100, logs: 10, demanded: 5, stretches: 2 };

describe("estimateLoad", () => {
  it("scales each figure by its own measure", () => {
    const asked = { blocks: 10_000, logs: 50, demanded: 30, stretches: 10 };
    const { methods, ...figures } = estimateLoad([sample(small, 10), sample(small, 30)], range({ asked }));
    const calls = Object.fromEntries(methods.map(({ method, calls }) => [method, calls]));
    expect(calls).toEqual({
      eth_call: { estimate: 100, least: 50, most: 150, from: ["logs"] },
      eth_getLogs: { estimate: 20, least: 20, most: 20, from: ["stretches"] },
      eth_getBlockByNumber: { estimate: 40, least: 40, most: 40, from: ["stretches", "demanded"] },
      eth_chainId: { estimate: 1, least: 1, most: 1, from: ["run"] },
    });
    expect(figures).toMatchObject({
      triggers: { estimate: 50, from: ["logs"] },
      versions: { estimate: 100 },
      database: { estimate: 5_000 },
      archive: { estimate: 10 * 40 + 20 * 50 + 5 * 100, from: ["taken", "logs"] },
    });
    expect(figures.seconds.estimate).toBeCloseTo(1 + (4 / 14) * 40);
  });

  it("scales the bytes of lists of logs by the logs", () => {
    const asked = { ...small, stretches: 20, logs: 20 };
    const { methods } = estimateLoad([sample(small, 0)], range({ asked }));
    const logs = methods.find(({ method }) => method === "eth_getLogs");
    expect(logs?.calls.estimate).toBe(40);
    expect(logs?.bytes).toMatchObject({ estimate: 80, from: ["logs"] });
  });

  it("estimates each side from its own samples", () => {
    const asked = { ...small, logs: 100 };
    const kept = { ...small, logs: 1_000 };
    const free = sample(small, 0, { side: "kept", methods: new Map(), once: new Map() });
    const { methods } = estimateLoad([free, sample(small, 10)], range({ kept, asked }));
    expect(methods.find(({ method }) => method === "eth_call")?.calls.estimate).toBe(100);
  });

  it("uses the samples unchanged when they are the whole range", () => {
    const whole = range({ asked: { ...small, logs: 999 } }, { isWhole: true });
    const { methods, seconds, database } = estimateLoad([sample(small, 7)], whole);
    expect(methods.find(({ method }) => method === "eth_call")?.calls).toEqual({
      estimate: 7,
      least: 7,
      most: 7,
      from: ["whole"],
    });
    expect([seconds.estimate, database.estimate]).toEqual([3, 1_000]);
  });

  it("distinguishes blocks and logs if the subgraph demands every block", () => {
    const of = (logs: number): SampleLoad => sample({ ...small, logs, demanded: 100 }, 100 + 3 * logs);
    const asked = { blocks: 1_000, logs: 20, demanded: 1_000, stretches: 5 };
    const { methods } = estimateLoad([of(0), of(10), of(50)], range({ asked }, { demandsAll: true }));
    expect(methods.find(({ method }) => method === "eth_call")?.calls).toMatchObject({
      estimate: 1_060,
      from: ["blocks", "logs"],
    });
  });

  it("widens the range by the doubt about the number of logs", () => {
    const asked = { ...small, logs: 100 };
    const { triggers } = estimateLoad([sample(small, 0)], range({ asked }, { error: 0.1 }));
    expect(triggers).toMatchObject({ estimate: 100, least: 80, most: 120 });
  });
});
