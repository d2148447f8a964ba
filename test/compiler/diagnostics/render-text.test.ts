import { describe, expect, it } from "vitest";
import { renderText } from "../../../src/compiler/diagnostics/render-text.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { place } from "./places.js";

describe("findings as text", () => {
  it("are printed as paragraphs, in order", () => {
    const report = new Report();
    const at = place("c.json", "{\n  [x]\n}");
    report.error("syntax-error", at, "wrong", { hint: "do this" });
    report.warning("config-missing", undefined, "just so");
    expect(renderText(report.diagnostics)).toBe(
      `warning[config-missing]: just so

error[syntax-error]: wrong
 --> c.json:2:3
  |
2 |   x
  |   ^
  = hint: do this
`,
    );
  });

  it("print nothing when there are none", () => {
    expect(renderText([])).toBe("");
  });

  it("are printed in full up to 50", () => {
    const report = new Report();
    for (let index = 0; index < 50; index++) report.note("field-renamed", undefined, `note ${index}`);
    expect(renderText(report.diagnostics)).not.toContain("more");
    expect(renderText(report.diagnostics)).toContain("note 49");
  });

  it("omit the least severe beyond 50, and say how many", () => {
    const report = new Report();
    for (let index = 0; index < 60; index++) report.note("field-renamed", undefined, `note ${index}`);
    report.error("unknown-key", undefined, "the error");
    const text = renderText(report.diagnostics);
    expect(text.match(/^note\[/gm)).toHaveLength(49);
    expect(text).toContain("note 48\n");
    expect(text).toMatch(/error\[unknown-key\]: the error\n\n\.\.\. and 11 more\n$/);
  });

  it("take one line each for renamed names, because there can be many", () => {
    const report = new Report();
    const at = place("c.json", "{\n  [x]\n}");
    report.note("field-renamed", at, 'field "id" is called "idParam"', {
      notes: ['"id" is already a field'],
    });
    report.note("entity-renamed", at, 'entity "A" is renamed to "A\u001b"', {
      label: "queried so",
      notes: ["so"],
    });
    report.error("unknown-key", undefined, "wrong");
    report.note("field-renamed", undefined, "no place");
    expect(renderText(report.diagnostics)).toBe(
      `error[unknown-key]: wrong

note[field-renamed]: no place
note[field-renamed]: field "id" is called "idParam": "id" is already a field --> c.json:2:3
note[entity-renamed]: entity "A" is renamed to "A\\u001b": so --> c.json:2:3
`,
    );
  });

  it("have colours only on request", () => {
    const report = new Report();
    report.error("unknown-key", place("c.json", "[x]"), "wrong", {
      related: [{ at: place("c.json", "x[ ]"), text: "here" }],
      notes: ["one"],
      hint: "do this",
    });
    const bare = renderText(report.diagnostics);
    const colored = renderText(report.diagnostics, { color: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours
    const colors = /\u001b\[[\d;]*m/g;
    expect(bare).not.toMatch(colors);
    expect(colored).toMatch(colors);
    expect(colored.replace(colors, "")).toBe(bare);
  });
});
