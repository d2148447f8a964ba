import { afterEach, beforeEach, expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";

const columns: readonly RowColumn[] = [
  { name: "id", type: "LONG", nullable: false },
  { name: "list", type: "ARRAY<STRING>", nullable: false },
  { name: "u", type: "STRING", nullable: false },
];
let engine: SqlEngine;
beforeEach(async () => {
  engine = await openDuckDb({ memory: 256, time: 5_000 });
  await engine.createTable("x", columns);
});
afterEach(() => engine.close());

const numbers = Array.from({ length: 20 }, (_, index) => index);
const rows = {
  count: numbers.length,
  columns: [
    numbers.map(BigInt),
    numbers.map((n) => [`${n}a`, `${n}b`, `${n}c`]),
    numbers.map((n) => `own ${n}`),
  ],
};
const kept = numbers.filter((n) => n % 7 !== 3);
const items = kept.flatMap((n) => [`${n}a`, `${n}b`, `${n}c`]);

it.each([
  ["id, item", "x, unnest(x.list) as t(item)", "id % 7 <> 3"],
  ["id, t.item", "x, unnest(x.list) as t(item)", "id % 7 <> 3 and t.item <> 'none'"],
  ["x.id, t.u as item", "x, unnest(list) as t(u)", "id % 7 <> 3"],
  ["id, unnest as item", "x, unnest(x.list)", "id % 7 <> 3"],
  ["id, item", "(select *, item from x, unnest(x.list) as t(item)) as y", "id % 7 <> 3"],
  [
    "id, upper(item) || '' as item",
    "(select id as id, [lower(i)] as l from x as z, unnest(z.list) t(i)) as y, unnest(y.l) as t(item)",
    "id % 7 <> 3",
  ],
])("items of lists keep their order: select %s from %s where %s", async (selected, from, condition) => {
  const made = await engine.createView("v", `select ${selected} from ${from} where ${condition}`);
  expect(made.map(({ name }) => name)).toEqual(
    ["id", "item"].map((name) => (name === "item" && selected === "id, t.item" ? "item" : name)),
  );
  await engine.fill("x", columns, rows);
  const { columns: [ids = [], found = []] = [] } = await engine.rowsOf("v", made);
  expect(ids).toEqual(kept.flatMap((n) => [BigInt(n), BigInt(n), BigInt(n)]));
  expect(found.map((item) => String(item).toLowerCase())).toEqual(items);
});

it.each([
  ["select *, t.u as item from x, unnest(x.list) as t(u)", ["id", "list", "u", "u_1", "item"]],
  ["select * from x, unnest(x.list) as t(item)", ["id", "list", "u", "item"]],
  ["select x.*, item from x, unnest(x.list) as t(item)", ["id", "list", "u", "item"]],
  ["select id, t from x, unnest(x.list) as t(item)", ["id", "t"]],
])("a query that cannot be changed keeps its columns and values: %s", async (query, names) => {
  const made = await engine.createView("v", query);
  expect(made.map(({ name }) => name)).toEqual(names);
  await engine.fill("x", columns, rows);
  const found = await engine.rowsOf("v", made);
  expect(found.count).toBe(60);
  expect(String(found.columns.at(-1)?.[0])).toMatch(/0[abc]/);
});
