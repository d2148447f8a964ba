import { describe, expect, it } from "vitest";
import { PipelineDisplay } from "../../../src/cli/pipeline/pipeline-display.js";
import { quietTerminal } from "../../../src/cli/terminal/quiet-terminal.js";
import type { SinkState } from "../../../src/pipelines/runner/sink-state.js";

const progress = (block: number, rows: number, source = "blocks") => ({
  rows,
  blocks: new Map([[source, block]]),
  overwritten: 0,
  parked: 0,
});

const at = (block: number, rows: number): SinkState => ({
  kind: "progressing",
  progress: progress(block, rows),
});

describe("The progress of a flow", () => {
  /** The last status line, and all that was printed for good. */
  let shown = "";
  let printed = "";
  let now = 0;
  const terminal = (isTty: boolean) => ({
    err: (text: string) => (printed += text),
    passing: (text: string) => (shown = text.replace("\r\u001b[2K", "")),
    isTty,
    columns: 200,
  });
  const display = (isTty = true) => {
    [shown, printed, now] = ["", "", 0];
    return new PipelineDisplay(terminal(isTty), () => now);
  };

  it("shows how many keys lookups have not found", () => {
    const flow = display();
    flow.update("named", { kind: "progressing", progress: { ...progress(7, 5), misses: 1_234 } });
    expect(shown).toContain("named: 5 rows, block 7, 1234 keys not found");
  });

  it("shows a bar, a rate and the time left while tables approach the chain head", () => {
    const flow = display();
    flow.expect("blocks", 2_000);
    flow.update("blocks", at(1_000, 0));
    now = 9_000;
    flow.expect("transfers", 2_000);
    flow.update("transfers", at(1_000, 5));
    now = 10_000;
    flow.update("blocks", at(1_600, 600));
    expect(shown).toBe(
      "███░░░░░░░ 30 %, 24 s left | 60 rows/s | blocks: 600 rows, block 1600 | transfers: 5 rows, block 1000",
    );
  });

  it("completes the bar once all tables reach the head, although the chain grows", () => {
    const flow = display();
    flow.expect("blocks", 2_000);
    flow.update("blocks", at(1_999, 0));
    now = 1_000;
    flow.update("blocks", at(2_000, 1));
    now = 2_000;
    flow.expect("blocks", 2_003);
    flow.update("blocks", at(2_001, 2));
    expect(shown).toBe("blocks: 2 rows, block 2001");
  });

  it("shows no bar while the head is unknown", () => {
    display().update("blocks", at(1_000, 7));
    expect(shown).toBe("blocks: 7 rows, block 1000");
  });

  it("shows a bar up to the last block of a source that ends", () => {
    const flow = display();
    flow.see("out", "blocks", 9_000, 2_000);
    flow.update("out", at(1_000, 0));
    now = 10_000;
    flow.update("out", at(1_600, 600));
    expect(shown).toBe("██████░░░░ 60 %, 7 s left | 60 rows/s | out: 600 rows, block 1600 of 2000");
    now = 20_000;
    flow.update("out", { kind: "ended", progress: progress(2_000, 900) });
    expect(shown).toBe("out: 900 rows, block 2000");
  });

  it.each([
    ["has no end", undefined],
    ["ends in the future", 9_001],
  ])("says how far behind a source is that %s, and claims no end", (_, end) => {
    const flow = display();
    flow.see("out", "blocks", 9_000, end);
    flow.update("out", at(1_000, 0));
    now = 10_000;
    flow.update("out", at(1_600, 600));
    expect(shown).toBe("60 rows/s | out: 600 rows, block 1600 (7400 behind)");
    now = 20_000;
    flow.update("out", { kind: "idle", progress: progress(8_936, 900), since: 0 });
    expect(shown).toBe("out: 900 rows, block 8936, waiting for new blocks since 00:00:00 UTC");
  });

  it("says how far behind a source is after its chain has grown", () => {
    const flow = display();
    flow.see("out", "blocks", 9_000, undefined);
    flow.update("out", { kind: "idle", progress: progress(8_936, 900), since: 0 });
    now = 10_000;
    flow.see("out", "blocks", 9_002, undefined);
    flow.update("out", at(8_938, 901));
    expect(shown).toBe("out: 901 rows, block 8938 (64 behind)");
  });

  it("shows no bar while one of several sinks follows its chain", () => {
    const flow = display();
    flow.see("a", "blocks", 9_000, 2_000);
    flow.see("b", "blocks", 9_000, undefined);
    flow.update("a", at(1_000, 0));
    now = 10_000;
    flow.update("b", at(1_000, 10));
    now = 20_000;
    flow.update("a", at(1_500, 100));
    expect(shown).toBe("5 rows/s | a: 100 rows, block 1500 of 2000 | b: 10 rows, block 1000 (8000 behind)");
    now = 30_000;
    flow.update("b", { kind: "halted", error: new Error("it broke") });
    expect(shown).toBe("█████░░░░░ 50 %, 30 s left | 3 rows/s | a: 100 rows, block 1500 of 2000 | b: halted");
  });

  it("shows no bar before each source of a sink was read", () => {
    const flow = display();
    flow.see("out", "blocks", 9_000, 2_000);
    flow.see("out", "logs", 100, 50);
    flow.update("out", at(1_000, 0));
    expect(shown).toBe("0 rows/s | out: 0 rows, block 1000 of 2000");
    now = 10_000;
    const blocks = new Map([
      ["blocks", 1_000],
      ["logs", 30],
    ]);
    flow.update("out", { kind: "progressing", progress: { ...progress(0, 10), blocks } });
    expect(shown).toBe("░░░░░░░░░░ 0 % | 1 rows/s | out: 10 rows, blocks 1000 of 2000, logs 30 of 50");
  });

  it("continues to count rows after a sink was stalled", () => {
    const flow = display();
    flow.see("out", "blocks", 9_000, 2_000);
    flow.update("out", at(1_000, 0));
    now = 5_000;
    flow.update("out", at(1_200, 500));
    now = 8_000;
    flow.update("out", { kind: "stalled", why: "no answer", since: 0, wait: 1_000, nextAttempt: 0 });
    expect(shown).toBe(
      "██░░░░░░░░ 20 %, 32 s left | 63 rows/s | out: stalled since 00:00:00 UTC, next attempt in 1.0 s: no answer",
    );
    now = 10_000;
    flow.update("out", at(1_600, 100));
    expect(shown).toBe("██████░░░░ 60 %, 7 s left | 60 rows/s | out: 100 rows, block 1600 of 2000");
  });

  it("prints plain lines without a terminal", () => {
    const flow = display(false);
    flow.see("out", "blocks", 9_000, 2_000);
    flow.update("out", at(1_000, 0));
    expect(shown).toBe("");
    now = 10_000;
    flow.update("out", at(1_600, 600));
    expect(shown).toBe("██████░░░░ 60 %, 7 s left | 60 rows/s | out: 600 rows, block 1600 of 2000\n");
  });

  it("shows programs only the lines that a terminal keeps", () => {
    [shown, printed, now] = ["", "", 0];
    const flow = new PipelineDisplay(quietTerminal(terminal(true)), () => now);
    flow.see("out", "blocks", 9_000, 2_000);
    for (now of [0, 60_000, 120_000]) flow.update("out", at(1_000 + now / 1_000, 0));
    flow.update("out", { kind: "stalled", why: "no answer", since: 0, wait: 1_000, nextAttempt: 0 });
    flow.end();
    expect(shown).toBe("");
    expect(printed).toBe("out: stalled since 00:00:00 UTC, next attempt in 1.0 s: no answer\n");
  });
});
