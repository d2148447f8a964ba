import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { differences, differencesPage } from "../../scripts/make-differences.mjs";
import { recordedCases } from "../platform/fidelity/recorded.js";

it("the page of differences from graph-node lists the same cases as the recorded table", () => {
  expect(readFileSync("docs/graph-node.md", "utf8")).toBe(differencesPage());
});

it("each difference has a place on the page, both sides and a reason", () => {
  const page = differencesPage();
  for (const { section, there, here, reason } of differences) {
    expect(page).toContain(`\n## ${section}\n`);
    expect(page).toContain(`| ${there} | ${here} | ${reason} |`);
    expect(reason).toMatch(/^\S.*\.$/);
  }
});

it("each case of a difference was recorded", () => {
  const recorded = new Set(recordedCases.map(({ name }) => name));
  const named = differences.flatMap(({ cases = [] }) => cases.map(({ name }) => name));
  expect(named.filter((name) => !recorded.has(name))).toEqual([]);
});
