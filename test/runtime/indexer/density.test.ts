import { describe, expect, it } from "vitest";
import {
  cutsOf,
  errorOfLogs,
  type Part,
  placesToCount,
  samplePlaces,
  workOf,
} from "../../../src/runtime/indexer/density.js";

const terms = { head: 1_000_000, reach: -1, demandsAll: false };

function part(from: number, to: number, logs: readonly number[] = [], changes: Partial<Part> = {}): Part {
  return { from, to, counted: { from, to }, logs, side: "asked", ...changes };
}

describe("placesToCount", () => {
  it("are the whole range when it is short enough", () => {
    const places = placesToCount({ from: 5, to: 54 }, [], 3, 20);
    expect(places.map(({ counted }) => [counted.from, counted.to])).toEqual([
      [5, 24],
      [25, 44],
      [45, 54],
    ]);
    expect(places.every(({ part, counted }) => part.from === counted.from && part.to === counted.to)).toBe(
      true,
    );
  });

  it("are one range in each part otherwise, at changing places", () => {
    const places = placesToCount({ from: 0, to: 9_999 }, [], 10, 100);
    expect(places.map(({ part }) => part.from)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((nth) => nth * 1_000),
    );
    const offsets = places.map(({ part, counted }) => counted.from - part.from);
    expect(new Set(offsets).size).toBe(10);
    for (const { part, counted } of places) {
      expect(counted.from).toBeGreaterThanOrEqual(part.from);
      expect(counted.to).toBeLessThanOrEqual(part.to);
      expect(counted.to - counted.from).toBe(99);
    }
  });

  it("returns no part that crosses the end of an archive", () => {
    const places = placesToCount({ from: 0, to: 99 }, [29], 2, 50);
    expect(places.map(({ part }) => [part.from, part.to])).toEqual([
      [0, 29],
      [30, 79],
      [80, 99],
    ]);
  });
});

describe("samplePlaces", () => {
  it("are one, the whole range, when they would cover it", () => {
    expect(samplePlaces([part(5, 104)], [], 2, 50)).toEqual([{ from: 5, to: 104 }]);
  });

  it("are spread evenly without logs", () => {
    expect(samplePlaces([part(100, 1_099)], [], 3, 100)).toEqual([
      { from: 100, to: 199 },
      { from: 550, to: 649 },
      { from: 1_000, to: 1_099 },
    ]);
    expect(samplePlaces([part(0, 9)], [], 1, 2)).toEqual([{ from: 4, to: 5 }]);
  });

  it("lie half where the logs are", () => {
    const logs = Array.from({ length: 100 }, (_, nth) => 7_000 + nth);
    const places = samplePlaces([part(0, 9_999, logs)], [], 4, 100);
    expect(places).toContainEqual({ from: 0, to: 99 });
    expect(places).toContainEqual({ from: 9_900, to: 9_999 });
    expect(places).toContainEqual({ from: 6_975, to: 7_074 });
    // The other sample among the logs follows, so as not to overlap.
    expect(places).toContainEqual({ from: 7_075, to: 7_174 });
  });

  it("extend across no end of an archive", () => {
    const logs = Array.from({ length: 100 }, (_, nth) => 450 + nth);
    for (const { from, to } of samplePlaces([part(0, 999, logs)], [499], 6, 60))
      expect(from > 499 || to <= 499).toBe(true);
  });
});

describe("workOf", () => {
  it.each([
    [25, 0, 1],
    [26, 0, 2],
    [175, 0, 3],
    [10, 0, 1],
    [100, 200, 4],
  ])("divides %i blocks of %i logs into as many stretches as a run", (blocks, logsPerBlock, expected) => {
    const logs = Array.from({ length: blocks * logsPerBlock }, (_, nth) => Math.floor(nth / logsPerBlock));
    expect(workOf([part(0, blocks - 1, logs)], terms).asked.stretches).toBe(expected);
  });

  it("demands blocks with logs, blocks near the head, and all blocks if the subgraph does", () => {
    const parts = [part(0, 99, [3, 3, 50])];
    expect(workOf(parts, terms).asked).toMatchObject({ blocks: 100, logs: 3, demanded: 2 });
    expect(workOf(parts, { ...terms, demandsAll: true }).asked.demanded).toBe(100);
    const near = workOf([part(0, 99, [3], { side: "near" })], { ...terms, head: 99 });
    expect(near.near.demanded).toBe(100);
    expect(near.asked.blocks).toBe(0);
  });

  it("scales up the counts of a piece to its part", () => {
    const parts = [part(0, 999, [10, 10, 11], { counted: { from: 0, to: 99 } }), part(1_000, 1_999)];
    expect(workOf(parts, terms).asked).toMatchObject({ blocks: 2_000, logs: 30, demanded: 20 });
  });
});

describe("cutsOf", () => {
  it("are the end of the archive and the last block that is settled", () => {
    expect(cutsOf({ head: 1_000, reach: 400 })).toEqual([400, 750]);
    expect(cutsOf({ head: 100, reach: -1 })).toEqual([]);
  });
});

describe("errorOfLogs", () => {
  it("is 0 when all logs were counted, and grows with the differences of neighbours", () => {
    const counted = (from: number, logs: number): Part =>
      part(from, from + 99, Array(logs).fill(from), { counted: { from, to: from + 9 } });
    expect(errorOfLogs([part(0, 99, [1]), part(100, 199)])).toBe(0);
    expect(errorOfLogs([counted(0, 5), counted(100, 5), counted(200, 5)])).toBe(0);
    const uneven = errorOfLogs([counted(0, 5), counted(100, 0), counted(200, 5)]);
    expect(uneven).toBeGreaterThan(errorOfLogs([counted(0, 5), counted(100, 4), counted(200, 5)]));
  });
});
