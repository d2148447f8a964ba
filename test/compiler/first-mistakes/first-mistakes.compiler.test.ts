import { describe, expect, it } from "vitest";
import { renderText } from "../../../src/compiler/diagnostics/render-text.js";
import { applyFixes } from "../../../src/compiler/fix/apply-fixes.js";
import { check } from "../../../src/machine/compiler/compile.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { calls } from "./calls.js";
import { expressions } from "./expressions.js";
import { fields } from "./fields.js";
import { abis, type Change, type Mistake } from "./project.js";
import { settings } from "./settings.js";
import { shapes } from "./shapes.js";

/*
 * The first mistakes of people who know the format from its document, and contracts from other tools. The printed text
 * must lead to a configuration that compiles in one step: either by the fixes it offers, or by changes that use only
 * words of the printed text or of the configuration.
 */

const path = "subgraph.json";

async function findings(text: string) {
  const beside = Object.entries(abis).map(([file, entries]) => [file, JSON.stringify(entries)] as const);
  const host = memoryHost({ [path]: text, ...Object.fromEntries(beside) });
  const { diagnostics } = await check(path, host, { asc });
  return diagnostics;
}

/** A text after its author's next step. Fails when the printed text does not suggest that step. */
function changed(text: string, changes: readonly Change[], printed: string): string {
  const known = words(`${text} ${printed}`);
  return changes.reduce((before, [from, to]) => {
    expect(before.split(from), `${from} stands there once`).toHaveLength(2);
    expect([...words(to)].filter((word) => !isKnown(word, known))).toEqual([]);
    return before.replace(from, () => to);
  }, text);
}

/** Whether a word was seen, or consists of a seen word and another appended to it. */
function isKnown(word: string, known: ReadonlySet<string>): boolean {
  if (known.has(word)) return true;
  return [...known].some((begin) => word.startsWith(begin) && known.has(word.slice(begin.length)));
}

/** The words of a text, without JSON punctuation. */
function words(text: string): ReadonlySet<string> {
  const found = text.replaceAll('\\"', '"').match(/[^\s"{},:]+/g) ?? [];
  return new Set(found.map((word) => word.replace(/^\[|\]$/g, "")).filter((word) => word !== ""));
}

describe.each<[string, readonly Mistake[]]>([
  ["settings", settings],
  ["shapes", shapes],
  ["fields", fields],
  ["expressions", expressions],
  ["calls", calls],
])("first mistakes: %s", (_area, mistakes) => {
  it.each(mistakes.map((one) => [one.name, one] as const))("%s", async (_name, {
    config,
    next,
    leaves = [],
  }) => {
    const text = typeof config === "string" ? config : JSON.stringify(config, null, 2);
    const found = await findings(text);
    expect(found.some(({ severity }) => severity !== "note")).toBe(true);
    const printed = renderText(found);
    const mended = next === "fix" ? applyFixes({ path, text }, found).text : changed(text, next, printed);
    const left = await findings(mended);
    const unforeseen = left.filter(({ severity, code }) => severity === "error" || !leaves.includes(code));
    expect(renderText(unforeseen), printed).toBe("");
  });
});
