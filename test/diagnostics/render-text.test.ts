import { expect, test } from "vitest";
import { renderText } from "../../src/diagnostics/render-text.js";
import { Report } from "../../src/diagnostics/report.js";

test("a finding and what belongs to it", () => {
  const source = { path: "c.json", text: "{\n  x\n}" };
  const at = { source, pointer: "", start: 4, end: 5 };
  const report = new Report();
  report.error("syntax-error", at, "wrong", {
    related: [{ at: { ...at, start: 0 }, text: "begins here" }],
    notes: ["one", "two"],
    hint: "do this",
  });
  report.warning("no-place", undefined, "just so");
  expect(renderText(report.diagnostics)).toBe(
    `warning[no-place]: just so
c.json:2:3: error[syntax-error]: wrong
  c.json:1:1: begins here
  note: one
  note: two
  hint: do this
`,
  );
});

test("nothing", () => {
  expect(renderText([])).toBe("");
});
