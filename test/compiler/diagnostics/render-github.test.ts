import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { renderGithub } from "../../../src/compiler/diagnostics/render-github.js";
import { place } from "./places.js";

const bare = { code: "unknown-key", severity: "error", message: "wrong", related: [], notes: [] } as const;

describe("a finding for GitHub", () => {
  it.each<[string, Partial<Diagnostic>, string]>([
    ["without a place", {}, "::error title=unknown-key::wrong\n"],
    [
      "with a place",
      { at: place("c.json", "\n [ab]") },
      "::error file=c.json,line=2,col=2,endColumn=4,title=unknown-key::wrong\n",
    ],
    [
      "of several lines",
      { severity: "warning", at: place("c.json", "[a\nb]") },
      "::warning file=c.json,line=1,col=1,endLine=2,title=unknown-key::wrong\n",
    ],
    [
      "with a label, a related place, notes and a hint",
      {
        severity: "note",
        label: "why",
        related: [{ at: place("T.json", "[x]"), text: "here" }],
        notes: ["one\ntwo"],
        hint: "do this",
      },
      "::notice title=unknown-key::wrong: why%0AT.json:1:1: here%0Anote: one%0Atwo%0Ahint: do this\n",
    ],
    [
      "with characters that have a meaning there",
      { message: "100%: a,b\r\n::error::\u001b", at: place("a,b:c%.json", "[x]") },
      "::error file=a%2Cb%3Ac%25.json,line=1,col=1,endColumn=2,title=unknown-key::100%25: a,b\\r\\n::error::\\u001b\n",
    ],
  ])("%s is one annotation", (_, diagnostic, text) => {
    expect(renderGithub([{ ...bare, ...diagnostic }])).toBe(text);
  });

  it("prints nothing without findings", () => {
    expect(renderGithub([])).toBe("");
  });
});
