import { describe, expect, it } from "vitest";
import { wordWrapped, wrappedCommand, wrapping } from "../../../src/cli/terminal/word-wrap.js";
import { memoryTerminal } from "../memory-terminal.js";

describe("lines that are too long for a terminal", () => {
  it.each([
    ["short\n", 10, "short\n"],
    ["one two three\nfour\n", 8, "one two\nthree\nfour\n"],
    ["  one two three\n", 8, "  one\n  two\n  three\n"],
    ["averylongwordindeed is here", 8, "averylongwordindeed\nis here"],
    ["\u4e2d\u6587 \u4e2d\u6587 a", 5, "\u4e2d\u6587\n\u4e2d\u6587\na"],
  ])("are broken at blanks: %j at %d", (text, columns, broken) => {
    expect(wordWrapped(text, columns)).toBe(broken);
  });

  it("stay one command for a shell", () => {
    expect(wrappedCommand("graphloom dev a.json --rpc x", 20, "  ")).toBe(
      "  graphloom dev \\\n      a.json --rpc \\\n      x",
    );
    expect(wrappedCommand("graphloom dev", 20, "  ")).toBe("  graphloom dev");
  });

  it("are broken only on a terminal", () => {
    const terminal = memoryTerminal();
    wrapping({ ...terminal, isTty: true, columns: 8 }).err("one two three");
    expect(terminal.said()).toBe("one two\nthree");
    const printing = memoryTerminal();
    wrapping({ ...printing, outColor: true, columns: 8 }).out("one two three");
    expect(printing.said()).toBe("one two\nthree");
    const piped = memoryTerminal();
    wrapping({ ...piped, isTty: false, columns: 8 }).err("one two three");
    expect(piped.said()).toBe("one two three");
  });
});
