import { expect, it } from "vitest";
import { renderJson } from "../../../src/compiler/diagnostics/render-json.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { place } from "./places.js";

it("the JSON document always has every member", () => {
  const report = new Report();
  report.note("field-renamed", undefined, "n");
  report.error("unknown-key", place("c.json", "{\n [ab]\n}", "/ab"), "wrong", {
    label: "why",
    fix: [],
    related: [{ at: place("abis/T.json", "[x]", "/0"), text: "here" }],
    notes: ["one"],
    hint: "do this",
  });
  expect(JSON.parse(renderJson(report.diagnostics))).toEqual({
    version: 1,
    diagnostics: [
      {
        code: "field-renamed",
        severity: "note",
        message: "n",
        file: null,
        pointer: null,
        start: null,
        end: null,
        label: null,
        related: [],
        notes: [],
        hint: null,
        fixable: false,
      },
      {
        code: "unknown-key",
        severity: "error",
        message: "wrong",
        file: "c.json",
        pointer: "/ab",
        start: { line: 2, column: 2, offset: 3 },
        end: { line: 2, column: 4, offset: 5 },
        label: "why",
        related: [
          {
            text: "here",
            file: "abis/T.json",
            pointer: "/0",
            start: { line: 1, column: 1, offset: 0 },
            end: { line: 1, column: 2, offset: 1 },
          },
        ],
        notes: ["one"],
        hint: "do this",
        fixable: true,
      },
    ],
    counts: { errors: 1, warnings: 0, notes: 1 },
  });
});

it("the JSON document is complete even without findings", () => {
  expect(JSON.parse(renderJson([]))).toEqual({
    version: 1,
    diagnostics: [],
    counts: { errors: 0, warnings: 0, notes: 0 },
  });
});

it("the JSON document escapes terminal control characters, and loses nothing", () => {
  const report = new Report();
  const message = "\u001b[2J\u009b\u202e\u{e0001}\u007f\n漢\ud800";
  report.error("unknown-key", undefined, message);
  const json = renderJson(report.diagnostics);
  expect(json.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
  expect(JSON.parse(json).diagnostics[0].message).toBe(message);
});
