import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { frame } from "../../../src/compiler/diagnostics/frame.js";
import { plain } from "../../../src/compiler/diagnostics/paint.js";
import { place } from "./places.js";

const bare = { code: "unknown-key", severity: "error", message: "wrong", related: [], notes: [] } as const;
const framed = (diagnostic: Partial<Diagnostic>): string =>
  frame({ ...bare, ...diagnostic }, plain).join("\n");
/** Only the source line and the line below it. */
const shown = (marked: string): string[] => frame({ ...bare, at: place("c.json", marked) }, plain).slice(3);

describe("a place", () => {
  const long = "abcdefghi ".repeat(30);
  it.each<[string, string, string[]]>([
    ["in a line", '{\n  "a": [1],\n}', ['2 |   "a": 1,', "  |        ^"]],
    ["of no width", "a[]b", ["1 | ab", "  |  ^"]],
    ["at the end of a line", "a[]\nb", ["1 | a", "  |  ^"]],
    ["at the end of the text", "a\n[]", ["2 |", "  | ^"]],
    ["in an empty text", "[]", ["1 |", "  | ^"]],
    ["of several lines", "a [bc\nd] e", ["1 | a bc", "  |   ^^"]],
    ["in a line that ends with CR LF", "x\r\na [bc\r\n]", ["2 | a bc", "  |   ^^"]],
    ["behind tabs", "\t\ta[b]", ["1 |     ab", "  |      ^"]],
    ["behind wide characters", "漢字😀 [x]", ["1 | 漢字😀 x", "  |        ^"]],
    ["of wide characters", "a [漢字] b", ["1 | a 漢字 b", "  |   ^^^^"]],
    ["behind a combining accent", "e\u0301 [x]", ["1 | e\u0301 x", "  |   ^"]],
    ["behind control characters", "\u001b(2mx [y]", ["1 | \\u001b(2mx y", "  |            ^"]],
    ["of a control character", "a[\u0007]b", ["1 | a\\u0007b", "  |  ^^^^^^"]],
    ["behind a change of direction", "\u202e [y]", ["1 | \\u202e y", "  |        ^"]],
    ["behind a character without width", "a\u200b[b]", ["1 | a\\u200bb", "  |        ^"]],
    ["behind a lone surrogate", "\ud800 [y]", ["1 | \\ud800 y", "  |        ^"]],
    ["behind a lone carriage return", "a\rb [c]", ["1 | a\\rb c", "  |      ^"]],
    ["at the beginning of a long line", `[abc]${long}`, [`1 | abc${long.slice(0, 97)}…`, "  | ^^^"]],
    [
      "in the middle of a long line",
      `${long}[abc]${long}`,
      [`1 | …${long.slice(-30)}abc${long.slice(0, 67)}…`, `  | ${" ".repeat(31)}^^^`],
    ],
    ["at the end of a long line", `${long}[abc]`, [`1 | …${long.slice(-97)}abc`, `  | ${" ".repeat(98)}^^^`]],
    [
      "longer than the longest line shown",
      `ab[${"x".repeat(300)}]c`,
      [`1 | ab${"x".repeat(98)}…`, `  |   ${"^".repeat(98)}`],
    ],
  ])("%s is underlined", (_, marked, lines) => {
    expect(shown(marked)).toEqual(lines);
  });

  it("is underlined in a line of many megabytes", () => {
    const half = "x".repeat(20_000_000);
    expect(shown(`${half}[abc]${half}`)[0]).toHaveLength("1 | ".length + 102);
  });
});

describe("a finding", () => {
  it.each<[string, Partial<Diagnostic>, string]>([
    ["without a place", { hint: "do this" }, "error[unknown-key]: wrong\n  = hint: do this"],
    [
      "with several places in one file, in the order of the lines",
      {
        at: place("c.json", `${"\n".repeat(11)}second [b]`, "/a/b"),
        label: "and here",
        related: [{ at: place("c.json", `${"\n".repeat(8)}first [a]`), text: "first here" }],
        notes: ["one", "two"],
        hint: "do this",
      },
      `error[unknown-key]: wrong
  --> c.json:12:8  /a/b
   |
 9 | first a
   |       - first here
12 | second b
   |        ^ and here
   = note: one
   = note: two
   = hint: do this`,
    ],
    [
      "with two places in one line",
      { at: place("c.json", "a [b]"), related: [{ at: place("c.json", "[a] b"), text: "the other" }] },
      `error[unknown-key]: wrong
 --> c.json:1:3
  |
1 | a b
  | - the other
  |   ^`,
    ],
    [
      "with a place in a second file",
      {
        at: place("c.json", "[x]", "/0"),
        related: [
          { at: place("abis/T.json", `${"\n".repeat(40)}[y]`, "/3/name"), text: "the nearest event" },
        ],
      },
      `error[unknown-key]: wrong
  --> c.json:1:1  /0
   |
 1 | x
   | ^
  ::: abis/T.json:41:1  /3/name
41 | y
   | - the nearest event`,
    ],
    [
      "with a note of several lines",
      { notes: ["one\n\n  two\n"] },
      "error[unknown-key]: wrong\n  = note: one\n            two",
    ],
    [
      "with control characters everywhere",
      {
        message: "a\u001b[2Jb\nerror[forged]",
        at: place("c\n.json", "[x]", "/\u202e"),
        related: [{ at: place("c\n.json", "[x]"), text: "\u0007" }],
        notes: ["\u009b"],
        hint: "\r",
      },
      `error[unknown-key]: a\\u001b[2Jb\\nerror[forged]
 --> c\\n.json:1:1  /\\u202e
  |
1 | x
  | ^
  | - \\u0007
  = note: \\u009b`,
    ],
  ])("%s is printed in full", (_, diagnostic, text) => {
    expect(framed(diagnostic)).toBe(text);
  });
});
