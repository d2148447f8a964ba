import { expect, it } from "vitest";
import { reportEnds } from "../../../src/cli/pipeline/report-ends.js";
import { exitCodes } from "../../../src/cli/terminal/exit-codes.js";
import type { Terminal } from "../../../src/cli/terminal/terminal.js";
import type { SinkState } from "../../../src/flows/runner/sink-state.js";

const halted = (error: unknown): ReadonlyMap<string, SinkState> =>
  new Map([["out", { kind: "halted", error }]]);

const terminal = (signal: AbortSignal) => ({ signal, err: () => undefined }) as unknown as Terminal;

it("takes what an interrupt cuts off for no failure, such as a wait between two requests", async () => {
  const signal = AbortSignal.abort();
  expect(reportEnds(halted(signal.reason), terminal(signal))).toBe(exitCodes.interrupted);
});

it("throws a failure that nobody has interrupted", () => {
  const { reason } = AbortSignal.abort();
  expect(() => reportEnds(halted(reason), terminal(new AbortController().signal))).toThrow(reason);
  const mistake = new TypeError("a mistake");
  expect(() => reportEnds(halted(mistake), terminal(AbortSignal.abort()))).toThrow(mistake);
});
