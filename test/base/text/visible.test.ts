import { describe, expect, it } from "vitest";
import { cellsOf, visible } from "../../../src/base/text/visible.js";

const seen = (text: string): string =>
  cellsOf(text, 0, text.length)
    .map((cell) => cell.text)
    .join("");

describe("visible text", () => {
  it.each([
    ["an emoji of two", "Ada \u{1f469}\u200d\u{1f680}"],
    ["a family", "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}"],
    ["an emoji with a skin tone", "\u{1f469}\u{1f3fd}\u200d\u{1f680}"],
    ["an emoji with a variation", "\u2764\ufe0f\u200d\u{1f525}"],
    ["a Persian word", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"],
    ["a Sinhala word", "\u0dc1\u0dca\u200d\u0dbb\u0dd3"],
  ])("keeps %s unchanged", (_, text) => {
    expect([visible(text), seen(text)]).toEqual([text, text]);
  });

  it.each([
    ["within a Latin word, where it hides", "ad\u200dmin", "ad\\u200dmin"],
    ["at the start", "\u200cab", "\\u200cab"],
    ["at the end of a word", "\u0645\u200c", "\u0645\\u200c"],
    ["twice", "\u0645\u200c\u200c\u062e", "\u0645\\u200c\\u200c\u062e"],
    ["between a letter and an emoji", "a\u200d\u{1f680}", "a\\u200d\u{1f680}"],
    ["of the wrong kind between emoji", "\u{1f469}\u200c\u{1f680}", "\u{1f469}\\u200c\u{1f680}"],
  ])("escapes a joiner %s", (_, text, shown) => {
    expect([visible(text), seen(text)]).toEqual([shown, shown]);
  });

  it("escapes characters that change the direction, hide or move text", () => {
    expect(visible("a\u202eb\u2066c\u00add\u001b[2J\n\u{e0041}")).toBe(
      "a\\u202eb\\u2066c\\u00add\\u001b[2J\\n\\u{e0041}",
    );
  });

  it("counts no width for a joiner that stays", () => {
    expect(cellsOf("\u0645\u200c\u062e", 0, 3).map(({ width }) => width)).toEqual([1, 0, 1]);
  });
});
