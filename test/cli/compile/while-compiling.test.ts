import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { whileCompiling } from "../../../src/cli/compile/while-compiling.js";
import { memoryTerminal } from "../memory-terminal.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs a compilation that takes that long. @returns what was printed on standard error */
async function told(milliseconds: number, isTty: boolean, config = "c.json"): Promise<string> {
  const terminal = { ...memoryTerminal(), isTty };
  const compilation = new Promise<string>((resolve) => setTimeout(() => resolve("compiled"), milliseconds));
  const result = whileCompiling(config, () => compilation, terminal);
  await vi.advanceTimersByTimeAsync(milliseconds);
  expect(await result).toBe("compiled");
  return terminal.said();
}

const erase = "\r\u001b[2K";

it("the progress line shows the elapsed time of a compilation on a terminal, and erases it at the end", async () => {
  expect(await told(2_500, true)).toBe(`${erase}compiling c.json: 1 s${erase}compiling c.json: 2 s${erase}`);
  expect(await told(1_500, true, "-")).toBe(`${erase}compiling <stdin>: 1 s${erase}`);
});

it("the progress line shows no time for a short compilation, or without a terminal", async () => {
  expect(await told(900, true)).toBe("");
  expect(await told(60_000, false)).toBe("");
});

it("the progress line erases the time when a compilation fails", async () => {
  const terminal = { ...memoryTerminal(), isTty: true };
  const failing = new Promise<never>((_, reject) => setTimeout(() => reject(new Error("no")), 1_500));
  const result = expect(whileCompiling("c.json", () => failing, terminal)).rejects.toThrow("no");
  await vi.advanceTimersByTimeAsync(10_000);
  await result;
  expect(terminal.said()).toBe(`${erase}compiling c.json: 1 s${erase}`);
});
