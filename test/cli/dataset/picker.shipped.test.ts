import { describe, expect, it } from "vitest";
import { atTerminal, hasTerminal, keys } from "../at-terminal.js";
import { workplace } from "../harness.js";

describe.runIf(hasTerminal)("dataset list in a terminal", () => {
  it("finds the chain from a few typed letters", async () => {
    const cwd = workplace();
    const { shown, code, moves } = await atTerminal(
      ["dataset", "list"],
      [
        ["Datasets of which chain?", "arbitrum one"],
        ["1 match", keys.enter],
      ],
      { cwd },
    );
    expect([code, moves, shown]).toEqual([0, 2, expect.stringContaining("arbitrum.raw_logs")]);
    expect(shown).not.toContain("base.raw_logs");
  });

  it("keeps asking while no chain matches", async () => {
    const { shown, code, moves } = await atTerminal(
      ["dataset", "list"],
      [
        ["Datasets of which chain?", "zzz"],
        ["No matches found", keys.enter],
        ["Nothing matches", `${"\x7f".repeat(3)}arbitrum one`],
        ["1 match", keys.enter],
      ],
      { cwd: workplace() },
    );
    expect([code, moves, shown]).toEqual([0, 4, expect.stringContaining("arbitrum.raw_logs")]);
  });

  it("ends when the question is interrupted", async () => {
    const { code } = await atTerminal(["dataset", "list"], [["Datasets of which chain?", keys.interrupt]], {
      cwd: workplace(),
    });
    expect(code).toBe(130);
  });
});
