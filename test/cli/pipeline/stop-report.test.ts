import { expect, it } from "vitest";
import { StopReport } from "../../../src/cli/pipeline/stop-report.js";
import { exitCodes } from "../../../src/cli/terminal/exit-codes.js";
import { UsageError } from "../../../src/cli/terminal/usage/usage-error.js";
import { PipelineError } from "../../../src/pipelines/changes/pipeline-error.js";
import type { SinkState } from "../../../src/pipelines/runner/sink-state.js";
import { ChainError, ReorgError } from "../../../src/runtime/chain/chain.js";

const halted = (error: unknown): SinkState => ({ kind: "halted", error });

/** A report, and what it has printed so far. */
function reporting(signal = new AbortController().signal): { report: StopReport; lines: string[] } {
  const lines: string[] = [];
  return { report: new StopReport(signal, (line) => void lines.push(line)), lines };
}

it("the report prints once why a sink has stopped, when it stops", () => {
  const { report, lines } = reporting();
  report.note("out", halted(new PipelineError("the table is gone", false)));
  expect(lines).toEqual(["Sink out has stopped: the table is gone\n"]);
  report.note("out", halted(new PipelineError("the table is gone", false)));
  expect(lines).toHaveLength(1);
  expect(report.end(false)).toBe(exitCodes.diagnostics);
});

it.each([
  new ChainError("no answer"),
  new ReorgError("block 5 was replaced"),
])("the report prints a failure of a node that came before the interrupt: $message", (error) => {
  const interrupt = new AbortController();
  const { report, lines } = reporting(interrupt.signal);
  report.note("out", halted(error));
  interrupt.abort();
  expect(lines).toEqual([`Sink out has stopped: ${error.message}\n`]);
  expect(report.end(true)).toBe(exitCodes.remote);
});

it("the report omits requests and waits that an interrupt cuts off", () => {
  const signal = AbortSignal.abort();
  const { report, lines } = reporting(signal);
  report.note("out", halted(signal.reason));
  report.note("other", halted(new ChainError("cut off")));
  expect(lines).toEqual([]);
  expect(report.end(true)).toBe(exitCodes.interrupted);
});

it("the report reports a mistake in the command line that only a node's answer reveals", () => {
  const { report, lines } = reporting();
  report.note("out", halted(new UsageError("The node of mainnet is of chain 137.")));
  expect(lines).toEqual(["Sink out has stopped: The node of mainnet is of chain 137.\n"]);
  expect(report.end(false)).toBe(exitCodes.usage);
});

it("the report reports trouble with the machine, and throws it at the end", () => {
  const { report, lines } = reporting();
  const trouble = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  report.note("out", halted(trouble));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^Sink out has stopped: (?!unexpected failure)\S.*\n$/);
  expect(() => report.end(false)).toThrow(trouble);
});

it("the report throws a bug at the end, and does not show its message as a reason", () => {
  const { report, lines } = reporting(AbortSignal.abort());
  const mistake = new TypeError("a mistake");
  report.note("out", halted(mistake));
  expect(lines).toEqual(["Sink out has stopped: unexpected failure\n"]);
  expect(() => report.end(true)).toThrow(mistake);
});
