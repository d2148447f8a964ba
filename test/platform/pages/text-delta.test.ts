import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deltaOf, type TextDelta } from "../../../src/platform/pages/live/live-pages.js";

/** What the script of the pages does with a delta. */
function applied(old: string, delta: TextDelta): string {
  return delta.map((part) => (typeof part === "string" ? part : old.slice(part[0], part[1]))).join("");
}

const rows = Array.from({ length: 200 }, (_, at) => `<tr id="row-${at}"><td>subgraph ${at}</td></tr>\n`);

describe("the change of a page", () => {
  it("turns the old text into the new one, for any two texts", () => {
    const line = fc.constantFrom("", "short\n", "a line of some length\n", "another line 🧵 of it\n", "end");
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(""));
    fc.assert(fc.property(text, text, (old, fresh) => applied(old, deltaOf(old, fresh)) === fresh));
  });

  it("holds only the lines that are new, even if others move or go", () => {
    const changed = rows.with(120, '<tr id="row-120"><td>failed</td></tr>\n');
    expect(deltaOf(rows.join(""), changed.join(""))).toEqual([
      [0, rows.slice(0, 120).join("").length],
      '<tr id="row-120"><td>failed</td></tr>\n',
      [rows.slice(0, 121).join("").length, rows.join("").length],
    ]);
    const [first = "", ...others] = rows;
    const moved = [...others, first];
    const delta = deltaOf(rows.join(""), moved.join(""));
    expect(delta).toEqual([
      [first.length, rows.join("").length],
      [0, first.length],
    ]);
    expect(deltaOf(rows.join(""), rows.join(""))).toEqual([[0, rows.join("").length]]);
  });
});
