import { expect, it } from "vitest";
import { padded, widthOf } from "../../../src/cli/terminal/cells.js";

it.each([
  ["abc", 3],
  ["漢字", 4],
  ["e\u0301", 1],
  ["", 0],
])("%j is %d columns wide", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

it("the table pads a text on either side, and never truncates it", () => {
  expect([padded("漢", 4), padded("12", 4, "right"), padded("abcd", 2)]).toEqual(["漢  ", "  12", "abcd"]);
});
