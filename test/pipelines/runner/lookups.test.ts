import { describe, expect, it } from "vitest";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { findingsIn, soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { objectsOf, rowsOf } from "../../support/pipelines/row-objects.js";

type RowObject = Readonly<Record<string, RowValue>>;

/** A pipeline whose query looks up the logs of a chain. */
function pipelineWith(query: string): string {
  return `
name: x
sources: { logs: { type: dataset, dataset_name: base.raw_logs } }
transforms:
  made:
    primary_key: id
    sql: |
      ${query.replaceAll("\n", "\n      ")}
sinks: { shown: { type: print, from: made } }`;
}

/** What a query makes of logs. */
async function madeOf(query: string, logs: readonly RowObject[]): Promise<readonly RowObject[]> {
  const plan = await soundPipeline(pipelineWith(query));
  const sink = plan.sinks[0] as PlannedSink;
  const columns = plan.sources[0]?.schema.columns ?? [];
  const program = await openProgram(plan, sink, onlySql);
  try {
    const delta = { minus: rowsOf(columns, logs), plus: rowsOf(columns, logs.slice(1)) };
    const { minus, plus } = await program.apply("logs", delta);
    const made = objectsOf(sink.schema.columns, minus);
    // Rows that are gone are computed like new ones.
    expect(objectsOf(sink.schema.columns, plus)).toEqual(
      made.filter(({ id }) => String(id).replace("!", "") !== logs[0]?.id),
    );
    return made;
  } finally {
    await program.close();
  }
}

const tokens = "(VALUES ('0xa', 'USDC', 6), ('0xb', NULL, 18)) AS t(address, symbol, decimals)";

describe("a query that joins rows with a list", () => {
  it("keeps each row once and in order, with nulls where the list has no such key", async () => {
    const logs = Array.from({ length: 5_000 }, (_, index) => ({
      id: String(index),
      address: ["0xa", "0xc", null, "0xb"][index % 4] ?? null,
    }));
    const made = await madeOf(
      `SELECT logs.id, t.* FROM logs LEFT JOIN ${tokens} ON t.address = logs.address`,
      logs,
    );
    expect(made.map(({ id }) => id)).toEqual(logs.map(({ id }) => id));
    expect(made.slice(0, 4)).toEqual([
      { id: "0", address: "0xa", symbol: "USDC", decimals: 6n },
      { id: "1", address: null, symbol: null, decimals: null },
      { id: "2", address: null, symbol: null, decimals: null },
      { id: "3", address: "0xb", symbol: null, decimals: 18n },
    ]);
  });

  it.each([
    [
      "drops rows without a match if the join is an inner one",
      `SELECT logs.id, symbol FROM logs JOIN ${tokens} ON logs.address = t.address`,
      ["1 USDC"],
    ],
    [
      "finds rows in a list that WITH names, after another lookup, in a part of a UNION",
      `WITH chosen(who, n) AS (VALUES ('0xa', 7)),
        places(n, name) AS (VALUES (7, 'here'), (8, 'there'))
      SELECT id, name FROM (
        SELECT id, p.name FROM logs LEFT JOIN chosen AS c ON lower(address) = c.who LEFT JOIN places AS p ON p.n = c.n
        UNION ALL
        SELECT id || '!', t.symbol FROM logs JOIN ${tokens} ON t.address = logs.address)`,
      ["1 here", "2 null", "1! USDC"],
    ],
    [
      "finds rows by several columns, by integers of any size, and by casts",
      `SELECT logs.id, t.name FROM logs JOIN (VALUES
          ('0xa', CAST('7' AS NUMERIC(78)), 'seven'),
          ('0xa', CAST('115792089237316195423570985008687907853269984665640564039457584007913129639935' AS NUMERIC(78)), 'all'),
          ('0xe', CAST('7' AS NUMERIC(78)), 'e')) AS t(address, n, name)
        ON t.address = logs.address AND t.n = CASE WHEN id = '1' THEN CAST(block_number AS INTEGER)::NUMERIC(78) END`,
      ["1 seven"],
    ],
  ])("%s", async (_, query, expected) => {
    const logs = [
      { id: "1", address: "0xa", block_number: 7n },
      { id: "2", address: "0xe", block_number: 9n },
    ];
    const made = await madeOf(query, logs);
    expect(made.map((row) => Object.values(row).map(String).join(" "))).toEqual(expected);
  });

  it.each([
    [
      `SELECT id FROM logs RIGHT JOIN ${tokens} ON t.address = logs.address`,
      "sql-not-streaming: a right join cannot look rows up in a list",
    ],
    [`SELECT id FROM logs, ${tokens}`, "sql-not-streaming: a cross join cannot look rows up in a list"],
    [
      `SELECT id FROM logs LEFT JOIN ${tokens} ON t.decimals > block_number`,
      "sql-not-streaming: a list is looked up by equality of its columns with expressions of the row",
    ],
    [
      `SELECT id FROM logs LEFT JOIN ${tokens} ON t.address = logs.address OR t.symbol = data`,
      "sql-not-streaming: a list is looked up by equality of its columns with expressions of the row",
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES ('0xa', 1)) AS t(address, n) USING (address)`,
      "sql-not-streaming: a list is joined ON its key",
    ],
    [
      `SELECT t.symbol AS id FROM ${tokens}`,
      "sql-not-streaming: without a source, a SELECT gives its rows again for every batch",
    ],
    [
      `WITH t(address, n) AS (VALUES ('0xa', 1)) SELECT address AS id FROM t`,
      "sql-not-streaming: without a source, a SELECT gives its rows again for every batch",
    ],
    [
      `SELECT id FROM logs LEFT JOIN ${tokens} ON t.addres = logs.address`,
      'sql-error: values list "t" does not have a column named "addres"',
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES ('a', 1), ('a', 2)) AS t(address, n) ON t.address = logs.address`,
      "lookup-list: the list has the key a twice, so that a row would become two",
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES ('1', 1)) AS t(k, n) ON t.k = block_number`,
      "lookup-list: the key k of the list is text, and what it is compared with is an integer",
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES (1.5, 1)) AS t(k, n) ON t.k = 1.5::DOUBLE`,
      "lookup-list: the key k of the list is neither text nor an integer, and what it is compared with is neither text nor an integer",
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES (now(), 1)) AS t(k, n) ON t.k = logs.address`,
      "sql-forbidden: now() gives the time of the run, so that no row can be computed again",
    ],
  ])("cannot be %s", async (query, finding) => {
    expect(await findingsIn(pipelineWith(query))).toContainEqual(expect.stringContaining(finding));
  });
});
