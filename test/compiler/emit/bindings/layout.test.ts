import { expect, test } from "vitest";
import {
  brokenGroup,
  type Doc,
  firstFitting,
  group,
  ifBroken,
  indent,
  join,
  layout,
  line,
  softline,
} from "../../../../src/compiler/emit/bindings/layout.js";

function list(open: string, items: readonly Doc[], close: string): Doc {
  return [open, indent([softline, join([",", line], items), ifBroken(",")]), softline, close];
}

const x = (count: number) => "x".repeat(count);

test.each<[string, Doc, string]>([
  ["keeps a group that fits on one line", group(list("(", ["a", "b"], ")")), "  (a, b)"],
  ["80 columns fit", group(list("(", [x(76)], ")")), `  (${x(76)})`],
  ["81 columns do not", group(list("(", [x(77)], ")")), `  (\n    ${x(77)},\n  )`],
  ["counts the text that follows", [group(list("(", [x(76)], ")")), ";"], `  (\n    ${x(76)},\n  );`],
  [
    "counts the text that follows only up to its first line break",
    [group(list("(", [x(70)], ")")), list("[", [x(70)], "]")],
    `  (${x(70)})[\n    ${x(70)},\n  ]`,
  ],
  [
    "can keep an inner group on one line",
    group(list("(", [x(77), group(list("[", ["a"], "]"))], ")")),
    `  (\n    ${x(77)},\n    [a],\n  )`,
  ],
  ["breaks the lines of a group marked as broken", brokenGroup(list("(", ["a"], ")")), "  (\n    a,\n  )"],
  ["takes the first choice that fits", firstFitting(x(90), [x(70), "1"], x(3)), `  ${x(70)}1`],
  [
    "takes the last choice when none fits",
    firstFitting(x(90), x(91), list("(", [x(92)], ")")),
    `  (\n    ${x(92)},\n  )`,
  ],
  [
    "takes a choice that fits up to its line break",
    firstFitting([x(40), group(list("[", [x(50)], "]"))], [x(40), brokenGroup(list("[", [x(50)], "]"))]),
    `  ${x(40)}[\n    ${x(50)},\n  ]`,
  ],
])("%s", (_, doc, want) => {
  expect(layout(doc, 2)).toBe(want);
});
