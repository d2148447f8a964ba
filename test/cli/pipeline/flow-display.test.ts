import { describe, expect, it } from "vitest";
import { FlowDisplay } from "../../../src/cli/pipeline/flow-display.js";
import type { SinkState } from "../../../src/flows/runner/sink-state.js";

const at = (block: number, rows: number): SinkState => ({
  kind: "progressing",
  progress: { rows, blocks: new Map([["blocks", block]]), overwritten: 0, parked: 0 },
});

describe("The progress of a flow", () => {
  /** The last status line. */
  let shown = "";
  let now = 0;
  const display = () => {
    [shown, now] = ["", 0];
    return new FlowDisplay(
      { err: (text) => (shown = text.replace("\r\u001b[2K", "")), isTty: true, columns: 200 },
      () => now,
    );
  };

  it("has a bar, a rate and the time left for tables on their way to the head of their chain", () => {
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

  it("ends its bar once all of them are there, although the chain grows", () => {
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

  it("has no bar while the head is not known", () => {
    display().update("blocks", at(1_000, 7));
    expect(shown).toBe("blocks: 7 rows, block 1000");
  });
});
