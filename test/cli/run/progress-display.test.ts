import { describe, expect, it } from "vitest";
import { ProgressDisplay } from "../../../src/cli/run/progress-display.js";
import type { Progress } from "../../../src/runtime/indexer/indexer.js";

const erase = "\r\u001b[2K";
const some: Progress = {
  block: 4,
  target: 9,
  blocks: 5,
  handlers: 30,
  reads: 1,
  writes: 12,
  reverted: 0,
};

function display(terminal: { readonly isTty?: boolean; readonly columns?: number }) {
  const printed: string[] = [];
  let time = 1_000_000;
  const shown = new ProgressDisplay({ ...terminal, err: (text) => printed.push(text) }, () => time);
  const pass = (milliseconds: number): void => {
    time += milliseconds;
  };
  return { shown, printed, pass };
}

describe("the progress display in a terminal", () => {
  it("rewrites one line, at most ten times a second", () => {
    const { shown, printed, pass } = display({ isTty: true, columns: 100 });
    pass(2_000);
    shown.update("mainnet", some);
    pass(99);
    shown.update("mainnet", { ...some, block: 5 });
    pass(1);
    shown.update("mainnet", { ...some, block: 6, handlers: 42 });
    expect(printed).toEqual([
      `${erase}░░░░░░░░░░ 0 % | block 4 of 9 | 15/s | 30 triggers | 12 entities | 1 call`,
      `${erase}████░░░░░░ 40 %, 1 s left | block 6 of 9 | 20/s | 42 triggers | 12 entities | 1 call`,
    ]);
  });

  it("prints other lines above it, and disappears at the end", () => {
    const { shown, printed, pass } = display({ isTty: true });
    shown.print("[info] first\n");
    pass(2_000);
    shown.update("mainnet", some);
    shown.print("[info] second\n");
    shown.end();
    shown.end();
    const line = "░░░░░░░░░░ 0 % | block 4 of 9 | 15/s | 30 triggers | 12 entities | 1 call";
    expect(printed).toEqual(["[info] first\n", `${erase}${line}`, `${erase}[info] second\n${line}`, erase]);
  });

  it("never wraps, and escapes control characters", () => {
    const { shown, printed } = display({ isTty: true, columns: 20 });
    shown.wait("mainnet", "\u001b[31mretrying in 1.0 s");
    expect(printed).toEqual([`${erase}mainnet: \\u001b[31…`]);
    expect(printed[0]?.length).toBe(erase.length + 19);
  });
});

describe("the progress display without a terminal", () => {
  it("prints one line for all chains every ten seconds", () => {
    const { shown, printed, pass } = display({});
    shown.update("mainnet", some);
    pass(9_999);
    shown.update("mainnet", some);
    pass(1);
    shown.update("base", { ...some, block: -1 });
    pass(9_999);
    shown.update("base", some);
    shown.end();
    expect(printed).toEqual([
      "░░░░░░░░░░ 0 % | mainnet block 4 of 9, base block 0 of 9 | 6/s | 60 triggers | 24 entities | 2 calls\n",
    ]);
  });
});
