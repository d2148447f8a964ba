import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createAsk } from "../../../src/cli/terminal/ask.js";

/** A terminal whose keys the test presses. */
function terminal() {
  const input = new PassThrough();
  const output = new PassThrough();
  let interrupts = 0;
  const ask = createAsk(input, output, () => {
    interrupts++;
  });
  const shown = (): string => String(output.read() ?? "");
  return {
    ask,
    shown,
    press: (keys: string) => input.write(keys),
    end: () => input.end(),
    interrupts: () => interrupts,
  };
}

describe("a question", () => {
  it("is shown and answered", async () => {
    const { ask, shown, press } = terminal();
    const answer = ask("Sure? ");
    press("yes\n");
    expect(await answer).toBe("yes");
    expect(shown()).toContain("Sure? ");
  });

  it("does not echo a hidden answer", async () => {
    const { ask, shown, press } = terminal();
    const answer = ask("Token: ", { hidden: true });
    press("secret-1\n");
    expect(await answer).toBe("secret-1");
    expect(shown()).toBe("Token: \n");
  });

  it("has no answer when the input ends", async () => {
    const { ask, end } = terminal();
    const answer = ask("Sure? ");
    end();
    expect(await answer).toBeUndefined();
  });

  it("can be interrupted", async () => {
    const { ask, press, interrupts } = terminal();
    const answer = ask("Sure? ");
    press("\u0003");
    expect(await answer).toBeUndefined();
    expect(interrupts()).toBe(1);
  });
});
