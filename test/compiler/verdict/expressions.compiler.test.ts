import { beforeAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { asc } from "../../support/compiler/asc.js";
import { type Case, typed, untyped } from "./expressions.js";
import { type Field, judge, underlined } from "./harness.js";

const said = new Map<Case, readonly Diagnostic[]>();
beforeAll(async () => {
  for (const cases of [typed, untyped]) {
    const found = await judge(cases.map(fieldOf), asc);
    for (const [index, one] of cases.entries()) said.set(one, found[index] ?? []);
  }
});
const all = [...typed, ...untyped];
const named = all.map((one) => [`${one[0]}: ${one[1]}`, one] as const);

function fieldOf([type, expression]: Case): Field {
  return [type, expression];
}

function inShort(diagnostic: Diagnostic): string {
  const { severity, code, hint = "", fix } = diagnostic;
  const texts = fix?.map((edit) => (edit.kind === "part" ? edit.text : JSON.stringify(edit)));
  const text = underlined(diagnostic).replaceAll('\\"', '"');
  return `${severity} ${code} | ${text} | ${hint}${texts ? ` => ${texts.join(", ")}` : ""}`;
}

/** The expression after all of its fixes, applied last to first. */
function fixed([, expression]: Case, diagnostics: readonly Diagnostic[]): string {
  return diagnostics
    .flatMap(({ fix = [] }) => fix)
    .flatMap((edit) => (edit.kind === "part" ? [edit] : []))
    .sort((a, b) => b.start - a.start)
    .reduce((text, { start, end, text: part }) => text.slice(0, start) + part + text.slice(end), expression);
}

describe("the finding about an expression", () => {
  it.each(named)("is right for %s", (_, one) => {
    const [, , ...want] = one;
    expect(said.get(one)?.map(inShort)).toEqual(want);
  });

  it("has a label, and a note with the compiler's own words", () => {
    for (const diagnostic of [...said.values()].flat()) {
      expect(diagnostic.label).toMatch(/^\S.*(?:[^.]|\?\.)$/);
      if (diagnostic.code === "expression-type")
        expect(diagnostic.notes.join()).toMatch(/^asc (?:TS|AS)\d+: /);
      expect(diagnostic.message + diagnostic.label + diagnostic.hint).not.toMatch(/~lib|generated\/|TS\d{4}/);
    }
  });
});

describe("a fix of an expression", () => {
  it("removes the finding that it fixes", async () => {
    const mended = all.filter((one) => said.get(one)?.some(({ fix }) => fix));
    expect(mended.length).toBeGreaterThan(40);
    const fields = mended.map((one): Field => [one[0], fixed(one, said.get(one) ?? [])]);
    const found = await judge(fields, asc);
    for (const [index, one] of mended.entries()) {
      const codes = said.get(one)?.flatMap(({ code, fix }) => (fix ? [code] : []));
      const left = found[index]?.filter(({ code }) => codes?.includes(code)) ?? [];
      expect([fields[index]?.[1], left.map(inShort)]).toEqual([fields[index]?.[1], []]);
    }
  });
});
