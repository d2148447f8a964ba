import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";

let engine: SqlEngine;
beforeEach(async () => {
  engine = await openDuckDb({ memory: 256, time: 5_000 });
});
afterEach(() => engine.close());

const columns: readonly RowColumn[] = [
  { name: "amount", type: "DECIMAL", nullable: true },
  { name: "text", type: "STRING", nullable: true },
  { name: "flag", type: "BOOLEAN", nullable: true },
  { name: "seen", type: "TIMESTAMP", nullable: true },
  { name: "list", type: "ARRAY<STRING>", nullable: true },
];

describe("a conversion that DuckDB lacks is a fault of the query, not of the first row", () => {
  it.each([
    ["a comparison with a fraction", "select amount = 5.0 as value from t"],
    ["a list of fractions", "select amount in (1.5, 2) as value from t"],
    ["a comparison with a boolean", "select amount = flag as value from t"],
    ["a cast to a date", "select amount::date as value from t"],
    ["a condition", "select text from t where amount = 5.0"],
    ["a condition behind another", "select text from t where text = 'none' and amount = 5.0"],
    ["a column behind a condition", "select amount = 5.0 as value from t where text = 'none'"],
    [
      "the field of a struct",
      "select {a: amount, b: text}::struct(a decimal(10,0), b varchar) as value from t",
    ],
    ["the values of a map", "select map {text: amount}::map(varchar, date) as value from t"],
    ["the second part of a UNION ALL", "select true as v from t union all select amount = 5.0 from t"],
    ["a query of WITH", "with x as (select amount from t where text = 'no') select amount = 5.0 as v from x"],
    ["a view of a view", "select value = 5.0 as v from of_none"],
    ["the field of a struct in a view", "select pair.a = 5.0 as v from pairs"],
    ["a dataset's table", `select amount = 5.0 as v from "base.logs"`],
  ])("in %s", async (_, query) => {
    await engine.createTable("t", columns);
    await engine.createTable("base.logs", columns);
    await engine.createView("of_none", "select amount as value from t where text = 'none'");
    await engine.createView("pairs", `select {a: amount, "b, (c": text} as pair from t where text = 'none'`);
    const sql = query.replace(`"base.logs"`, "base.logs");
    await expect(engine.createView("v", sql)).rejects.toThrow(/^no value of .+ can become one of .+$/);
  });

  it("in the filter of a source", async () => {
    const created = engine.createTable("t", columns, { condition: "text = 'none' and amount = 5.0" });
    await expect(created).rejects.toThrow("no value of DECIMAL(2,1) can become one of BIGNUM");
  });
});

it.each([
  "select amount = 5 as value from t",
  "select amount = '5' as value from t",
  "select amount = 5.0::double as value from t",
  "select amount * 1.5 as value from t",
  "select cast(text as date) as value from t",
  "select 1 // (amount::bigint - 1) as value from t",
  "select list[1]::bigint as value, seen::date as day from t where seen > '2020-01-01'",
  "select amount::decimal(38,0) as value from t where text = 'none'",
])("a query whose values may fit is accepted, and leaves no row behind: %s", async (query) => {
  await engine.createTable("t", columns, { condition: "text <> 'some'" });
  await engine.createView("before", "select * from t");
  const made = await engine.createView("v", query);
  const given = [["5"], ["2020-01-01"], [true], [1_600_000_000_000_000n], [["7"]]];
  expect((await engine.rowsOf("v", made)).count).toBe(0);
  await engine.fill("t", columns, { count: 1, columns: given });
  expect((await engine.rowsOf("before", await engine.createView("w", "select text from before"))).count).toBe(
    1,
  );
  await engine.rowsOf("v", made);
});

it("a query that is slow for one row is accepted", async () => {
  await engine.createTable("t", columns);
  const made = await engine.createView(
    "v",
    "select len(list_distinct(range(amount::bigint * 6000000))) as value from t",
  );
  expect((await engine.rowsOf("v", made)).count).toBe(0);
});
