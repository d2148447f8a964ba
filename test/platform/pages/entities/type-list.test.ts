import { expect, it } from "vitest";
import { present } from "../../../../src/base/invariant.js";
import { typeList } from "../../../../src/platform/pages/entities/type-list.js";
import { layout } from "./columns.js";

it("a type's bar shows its share of the greatest count, and is missing until the type was counted", () => {
  const [first] = layout.tables;
  const one = present(first, "the layout has a table");
  const [many, few, uncounted] = ["many", "few", "uncounted"].map((name) => ({ ...one, name }));
  const tables = [many, few, uncounted].map((table) => present(table, "there are three"));
  const counts = new Map([
    ["many", 1_200n],
    ["few", 300n],
  ]);
  const { markup } = typeList("/dashboard/a/1", tables, { counts }, "many");
  const rows = markup.split("<li ").slice(1);
  const shown = rows.map((row) => /<rect x="(\d+)" width="(\d+)"/.exec(row)?.slice(1));
  expect(shown).toEqual([["0", "60"], ["45", "15"], undefined]);
  // The counts are the same to screen readers as before.
  expect(rows.map((row) => /soft">([^<]*)</.exec(row)?.[1])).toEqual(["1,200", "300", "…"]);
});

it("a type shows the number of new entities, if there are any", () => {
  const [first] = layout.tables;
  const one = present(first, "the layout has a table");
  const tables = ["growing", "still"].map((name) => ({ ...one, name }));
  const shown = (added: ReadonlyMap<string, bigint>) =>
    typeList("/dashboard/a/1", tables, { counts: new Map(), added }, "still").markup;
  const growing = shown(new Map([["growing", 1_234n]]));
  expect(growing.match(/\+[\d,]+/g)).toEqual(["+1,234"]);
  expect(growing).toContain("+: new in the last hour");
  expect(shown(new Map([["growing", 0n]]))).not.toContain("+");
});
