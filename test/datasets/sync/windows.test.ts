import { describe, expect, it } from "vitest";
import { planWindows, windowFile, windowPath } from "../../../src/datasets/sync/windows.js";

function files(...ranges: readonly (readonly [number, number])[]) {
  return ranges.map(([from, to]) => ({ from, to, path: `${from}-${to}` }));
}

describe("the windows of a range", () => {
  it("begin at multiples of their size, and are shorter at the ends of the range", () => {
    expect(planWindows({ from: 5, to: 23 }, 10, []).missing).toEqual([
      { from: 5, to: 9, replaces: [] },
      { from: 10, to: 19, replaces: [] },
      { from: 20, to: 23, replaces: [] },
    ]);
  });

  it("that have a file already are left out", () => {
    const plan = planWindows({ from: 0, to: 25 }, 10, files([0, 9], [10, 19], [20, 29]));
    expect(plan).toEqual({ missing: [], covered: [], present: 3 });
  });

  it("replace a shorter file with a longer one that has its blocks, too", () => {
    const plan = planWindows({ from: 2, to: 15 }, 10, files([5, 9], [10, 12]));
    expect(plan.missing).toEqual([
      { from: 2, to: 9, replaces: ["5-9"] },
      { from: 10, to: 15, replaces: ["10-12"] },
    ]);
    expect(planWindows({ from: 2, to: 4 }, 10, files([8, 9])).missing).toEqual([
      { from: 2, to: 9, replaces: ["8-9"] },
    ]);
  });

  it("leave one of several files with the same blocks", () => {
    const { covered, missing } = planWindows({ from: 0, to: 9 }, 10, [
      ...files([0, 9], [3, 5]),
      { from: 0, to: 9, path: "twin" },
    ]);
    expect(covered).toEqual(["3-5", "twin"]);
    expect(missing).toEqual([]);
  });
});

describe("the path of a window", () => {
  it("names its blocks", () => {
    const path = windowPath({ from: 0, to: 999 }, "2015-07-30");
    expect(path).toBe("dt=2015-07-30/0000000000-0000000999.parquet");
    expect(windowFile(path)).toEqual({ path, from: 0, to: 999 });
  });

  it.each([
    "0000000000-0000000999.parquet",
    "dt=2015-07-30/x.parquet",
    "dt=2015-07-30/0000000009-0000000001.parquet",
  ])("is not %s", (path) => {
    expect(windowFile(path)).toBeUndefined();
  });
});
