import { expect, test } from "vitest";
import { type Diagnostic, rewrite } from "../../../src/compiler/diagnostics/diagnostic.js";
import { fixInRounds, maxRounds } from "../../../src/compiler/fix/fix-in-rounds.js";
import { digString, read } from "../parse/harness.js";
import { finding } from "./harness.js";

/** A checker that proposes to replace the value at `a` by the result of `next`. */
function wanting(next: (value: string) => string | undefined): (text: string) => readonly Diagnostic[] {
  return (text) => {
    const of = digString(read("c.json", text).tree, "a");
    const wanted = next(of.value);
    return wanted === undefined ? [] : [finding([rewrite(of, wanted)], of.value)];
  };
}

async function run(value: string, next: (value: string) => string | undefined) {
  const check = wanting(next);
  const text = `{ "a": "${value}" }`;
  const checked: string[] = [];
  const result = await fixInRounds({ path: "c.json", text }, check(text), async (changed) => {
    checked.push(changed);
    return check(changed);
  });
  return { ...result, checked };
}

test("check --fix checks again until nothing is left to fix", async () => {
  const steps: Record<string, string> = { one: "two", two: "three" };
  const { text, end, applied, diagnostics, checked } = await run("one", (value) => steps[value]);
  expect([text, end, diagnostics]).toEqual(['{ "a": "three" }', "settled", []]);
  expect(applied.map(({ message }) => message)).toEqual(["one", "two"]);
  expect(checked).toEqual(['{ "a": "two" }', '{ "a": "three" }']);
});

test("check --fix leaves a file without mistakes unchanged", async () => {
  const { text, end, checked } = await run("one", () => undefined);
  expect([text, end, checked]).toEqual(['{ "a": "one" }', "settled", []]);
});

test("check --fix stops before a round would repeat an earlier text", async () => {
  const steps: Record<string, string> = { one: "two", two: "three", three: "two" };
  const { text, end, applied, diagnostics } = await run("one", (value) => steps[value]);
  expect([text, end, applied.length]).toEqual(['{ "a": "three" }', "circle", 2]);
  expect(diagnostics.map(({ message }) => message)).toEqual(["three"]);
});

test("check --fix gives up if the fixes never end", async () => {
  const { text, end, applied } = await run("", (value) => `${value}x`);
  expect([text, end, applied.length]).toEqual([
    `{ "a": "${"x".repeat(maxRounds)}" }`,
    "too-many-rounds",
    maxRounds,
  ]);
});
