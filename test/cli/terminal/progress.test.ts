import { describe, expect, it } from "vitest";
import { barOf, progressLine, rateOf, timeLeft, WatchedWork } from "../../../src/cli/terminal/progress.js";

describe("The progress of long work", () => {
  it.each([
    [0, 0, 100, "░░░░░░░░░░ 0 %"],
    [0, 42, 100, "████░░░░░░ 42 %"],
    [8_000_000, 8_000_999, 8_001_000, "█████████░ 99 %"],
    [0, 100, 100, "██████████ 100 %"],
    // A reorganisation, and a chain that is behind what is indexed.
    [10, 5, 20, "░░░░░░░░░░ 0 %"],
    [10, 30, 20, "██████████ 100 %"],
    [10, 10, 10, ""],
  ])("from %i, at %i of %i, is a bar of %s", (begin, done, total, bar) => {
    expect(barOf({ begin, done, total })).toBe(bar);
  });

  it.each([
    [0, 50, 100, 3_000, "3 s left"],
    [90, 95, 100, 200_000, "4 min left"],
    [0, 1, 1_000_000, 1_000, "278 h left"],
    [0, 0, 100, 3_000, ""],
    [0, 100, 100, 3_000, ""],
    [10, 5, 20, 3_000, ""],
  ])("from %i, at %i of %i after %i ms, is reported as: %s", (begin, done, total, spent, text) => {
    expect(timeLeft({ begin, done, total, spent })).toBe(text);
  });

  it("omits unknown values", () => {
    expect(progressLine({ begin: 5, done: 5, total: 5, spent: 1 }, ["1 row"])).toBe("1 row");
    expect(progressLine({ begin: 0, done: 5, total: 10, spent: 1_000 }, ["5 rows"])).toBe(
      "█████░░░░░ 50 %, 1 s left | 5 rows",
    );
  });

  it("measures another process's work from the first report, and its bar shows the whole", () => {
    const watched = new WatchedWork();
    expect(progressLine(watched.see({ from: 0, done: 50, total: 100 }, 1_000), [])).toBe("█████░░░░░ 50 %");
    const later = watched.see({ from: 0, done: 60, total: 100 }, 3_000);
    expect([progressLine(later, []), rateOf(later)]).toEqual(["██████░░░░ 60 %, 8 s left", 5]);
  });

  it("measures another process's work again after it restarts", () => {
    const watched = new WatchedWork();
    watched.see({ from: 0, done: 90, total: 100 }, 0);
    const again = watched.see({ from: 0, done: 10, total: 100 }, 60_000);
    expect([timeLeft(again), rateOf(again)]).toEqual(["", undefined]);
    expect(rateOf(watched.see({ from: 0, done: 30, total: 100 }, 62_000))).toBe(10);
  });
});
