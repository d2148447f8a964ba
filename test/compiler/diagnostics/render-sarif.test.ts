import type { Log } from "sarif";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { renderSarif } from "../../../src/compiler/diagnostics/render-sarif.js";
import { place } from "./places.js";

const bare = { code: "unknown-key", severity: "error", message: "wrong", related: [], notes: [] } as const;
const logOf = (...diagnostics: readonly Diagnostic[]): Log => JSON.parse(renderSarif(diagnostics));

describe("diagnostics as SARIF", () => {
  it("have a rule for each code, with what explain prints about it", () => {
    const log = logOf(bare, { ...bare, code: "duplicate-key" }, bare);
    const [run] = log.runs;
    expect([log.version, run?.tool.driver.name]).toEqual(["2.1.0", "graphloom"]);
    const rules = run?.tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual(["duplicate-key", "unknown-key"]);
    for (const rule of rules) expect(rule.help?.text).toContain(`${rule.fullDescription?.text}\n\nWrong:\n`);
    expect(run?.results?.map(({ ruleId, ruleIndex }) => [ruleId, ruleIndex])).toEqual([
      ["unknown-key", 1],
      ["duplicate-key", 0],
      ["unknown-key", 1],
    ]);
  });

  it("have the place, the related places, and all that is known in the message", () => {
    const [run] = logOf({
      ...bare,
      severity: "note",
      at: place("a folder/c.json", "\n [ab]\n"),
      label: "why",
      related: [{ at: place("T.json", "[x]"), text: "here" }],
      notes: ["one\ntwo"],
      hint: "do this",
    }).runs;
    const region = (startLine: number, startColumn: number, endLine: number, endColumn: number) => ({
      startLine,
      startColumn,
      endLine,
      endColumn,
    });
    expect(run?.results?.[0]).toMatchObject({
      level: "note",
      message: { text: "wrong: why\nnote: one\ntwo\nhint: do this" },
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: "a%20folder/c.json" }, region: region(2, 2, 2, 4) },
        },
      ],
      relatedLocations: [
        {
          id: 0,
          message: { text: "here" },
          physicalLocation: { artifactLocation: { uri: "T.json" }, region: region(1, 1, 1, 2) },
        },
      ],
    });
    expect(run?.artifacts).toEqual([{ location: { uri: "a%20folder/c.json" } }]);
  });

  it("have no place without a file", () => {
    const [run] = logOf(bare, { ...bare, at: place("<stdin>", "[x]") }).runs;
    expect(run?.results?.map(({ locations }) => locations)).toEqual([undefined, undefined]);
    expect(run?.artifacts).toEqual([]);
  });

  it("are a whole document without any, and hold no control character", () => {
    expect(logOf().runs[0]?.results).toEqual([]);
    expect(renderSarif([{ ...bare, message: "a\u001b[31mb" }])).not.toContain("\u001b");
  });
});
