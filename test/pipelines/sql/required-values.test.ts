import { afterAll, beforeAll, expect, it } from "vitest";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";
import { requiredValues } from "../../../src/pipelines/sql/required-values.js";

let engine: SqlEngine;
beforeAll(async () => {
  engine = await openDuckDb({ memory: 256, time: 10_000 });
});
afterAll(() => engine.close());

it.each([
  ["address = 'a'", ["a"]],
  ["'a' = ADDRESS", ["a"]],
  ["source.address = 'a'", ["a"]],
  ["address in ('a', 'b')", ["a", "b"]],
  ["n > 5 and (address in ('a', 'b') and flag)", ["a", "b"]],
  ["address in ('a', 'b') and address = 'b'", ["b"]],
  ["address = 'a' and address = 'b'", []],
  ["address = 'a' or n > 5", undefined],
  ["not (address = 'a')", undefined],
  ["address not in ('a')", undefined],
  ["address <> 'a'", undefined],
  ["lower(address) = 'a'", undefined],
  ["address = sender", undefined],
  ["address in ('a', sender)", undefined],
  ["address = 5", undefined],
  ["address = null", undefined],
  ["sender = 'a'", undefined],
  ["case when address = 'a' then true else n > 5 end", undefined],
])("the texts that %s requires are %j", async (condition, values) => {
  const parsed = await engine.parse(`select * from source where (\n${condition}\n)`);
  expect(requiredValues(parsed.kind === "tree" ? parsed.tree : undefined, "address")).toEqual(values);
});
