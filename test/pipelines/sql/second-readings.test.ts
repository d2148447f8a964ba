import { Interface } from "ethers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import { openDuckDb } from "../../../src/pipelines/machine/duckdb/open-duckdb.js";
import type { SqlEngine } from "../../../src/pipelines/sql/engine.js";
import { functionNamed } from "../../../src/pipelines/sql/functions.js";

let engine: SqlEngine;
beforeEach(async () => {
  engine = await openDuckDb({ memory: 256, time: 5_000 });
});
afterEach(() => engine.close());

const abi = "event Sent(address indexed to, uint256 amount)";
const receiver = `0x${"ab".repeat(20)}`;
const sent = new Interface([abi]).encodeEventLog("Sent", [receiver, 5n]);
const columns: readonly RowColumn[] = [
  { name: "block_number", type: "LONG", nullable: false },
  { name: "topics", type: "STRING", nullable: false },
  { name: "data", type: "STRING", nullable: false },
  { name: "event_params", type: "ARRAY<STRING>", nullable: true },
  { name: "amount", type: "DECIMAL", nullable: true },
];

async function resultOf(query: string): Promise<unknown> {
  const decoder = functionNamed("_ab_log_decode");
  if (decoder) await engine.define(decoder);
  await engine.createTable("logs", columns);
  await engine.fill("logs", columns, {
    count: 1,
    columns: [[7n], [sent.topics.join(",")], [sent.data], [["a", "b"]], [String(2n ** 200n)]],
  });
  const made = await engine.createView("v", query);
  return (await engine.rowsOf("v", made)).columns.map((column) => column[0]);
}

describe("a query that only other engines accept is read as they mean it", () => {
  it.each([
    ["columns of raw_log", "select raw_log.block_number, logs.raw_log.data from logs", [7n, sent.data]],
    ["a condition on raw_log", "select 1::bigint as one from logs l where `raw_log`.block_number = 7", [1n]],
    ["the number of values in a list", "select cardinality(event_params) from logs", [2n]],
    [
      "a list of topics",
      `select (_ab_log_decode('${abi}', string_to_array(topics, ','), data)).event_params from logs`,
      [[receiver, "5"]],
    ],
    [
      "several of these, beside a wide decimal",
      "select raw_log.block_number, cardinality(event_params), try_cast(amount as decimal(100)) from logs",
      [7n, 2n, String(2n ** 200n)],
    ],
  ])("%s", async (_, query, expected) => {
    expect(await resultOf(query.replaceAll("`", '"'))).toEqual(expected);
  });

  it("a name of the query stands for itself", async () => {
    expect(await resultOf("select raw_log.n from (select {'n': 5::bigint} as raw_log from logs)")).toEqual([
      5n,
    ]);
  });

  it.each([
    ["select raw_log.missing from logs", 'the query does not read "raw_log"'],
    ["select cardinality(block_number) from logs", "Cardinality can only operate on MAPs"],
    ["select cast(amount as decimal(100)), missing from logs", 'there is no column "missing"'],
  ])("a mistake in such a query is refused in words about the query: %s", async (query, words) => {
    await expect(resultOf(query)).rejects.toThrow(words);
  });
});

it("integers of any size mix with floating-point numbers, in casts and cases", async () => {
  const mixed =
    "case when block_number < 9 then coalesce(try_cast(amount as decimal(100)) / 1e9, 0) else amount end";
  expect(await resultOf(`select ${mixed}, cast(amount as decimal(78)) / 2.5e-3 from logs`)).toEqual([
    Number(2n ** 200n) / 1e9,
    Number(2n ** 200n) / 2.5e-3,
  ]);
});
