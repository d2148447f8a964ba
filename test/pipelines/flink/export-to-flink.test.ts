import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import type { IntegerForm } from "../../../src/pipelines/flink/column-types.js";
import { splitPipeline } from "../../../src/pipelines/flink/split-pipeline.js";
import { exportToFlink } from "../../../src/pipelines/host/flink/export-to-flink.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";

const read = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

async function exported(
  yaml: string,
  integers: IntegerForm = "decimal",
): Promise<string | readonly string[]> {
  const report = new Report();
  const flow = splitPipeline(await soundPipeline(yaml, undefined, true), integers, report);
  return flow ? exportToFlink(flow, integers) : report.diagnostics.map(({ message }) => message);
}

/** A definition with one query and one sink. */
function pipelineOf(sql: string, sink: string, key = "id"): string {
  return `
name: chosen
sources:
  transfers: { type: dataset, dataset_name: base.erc20_transfers }
transforms:
  chosen: { sql: ${JSON.stringify(sql)}, primary_key: ${key} }
sinks:
  out: { from: chosen, secret_name: DB, ${sink} }
`;
}

describe("a flow as statements for Flink", () => {
  it("reads topics, creates views, and writes both sinks of rows that may be deleted and sinks of final rows", async () => {
    await expect(await exported(read("totals.yaml"))).toMatchFileSnapshot("totals.sql");
  });

  it("prints the same each time", async () => {
    expect(await exported(read("totals.yaml"))).toBe(await exported(read("totals.yaml")));
  });

  it("takes the filter that the manual names for integers that Flink cannot hold", async () => {
    const [, filter = ""] = /`filter: ([^`]+)`\.$/m.exec(read("../../../docs/pipeline-flink.md")) ?? [];
    expect(filter).toContain("amount");
    const yaml = pipelineOf("SELECT id, amount FROM transfers", "type: postgres, table: chosen");
    const filtered = yaml.replace(
      "erc20_transfers }",
      `erc20_transfers, filter: ${JSON.stringify(filter)} }`,
    );
    expect(await exported(filtered)).toBe(await exported(yaml));
  });

  it("keeps integers of 256 bits as text if the definition asks for it", async () => {
    const statements = await exported(
      pipelineOf("SELECT id, amount FROM transfers", "type: postgres, table: chosen"),
      "string",
    );
    expect(statements).toContain("SELECT `id`, `sender`");
    expect(statements).toContain(", `amount`, ");
    expect(statements).not.toContain("DECIMAL");
  });

  it("quotes names and texts that would end others", async () => {
    const statements = await exported(
      pipelineOf(
        "SELECT id, 'it''s' AS `a b` FROM transfers",
        'type: kafka, topic: "it\'s", deletions: tombstone',
      ),
    );
    expect(statements).toContain("'topic' = 'it''s'");
    expect(statements).toContain("  CAST(`a b` AS STRING)\n");
  });

  it("omits the comments of a query, so that they hide no clause", async () => {
    const statements = await exported(
      pipelineOf("SELECT id FROM transfers -- the end", "type: postgres, table: chosen"),
    );
    expect(statements).toContain("SELECT `id`\nFROM `transfers`\n)\n");
  });
});

describe("what Flink cannot do", () => {
  it.each([
    [
      "a list in a database",
      "SELECT id, ['a'] AS list FROM transfers",
      "type: postgres, table: chosen",
      'sink "out" has the list "list", which Flink cannot write to a database',
    ],
    [
      "a column that needs quotes",
      'SELECT id, sender AS "from" FROM transfers',
      "type: postgres, table: chosen",
      'sink "out" has the column "from", which PostgreSQL has to have in quotes, and Flink writes none',
    ],
    [
      "a table that needs quotes",
      "SELECT id FROM transfers",
      "type: postgres, table: Chosen",
      'sink "out" writes to "Chosen", which PostgreSQL has to have in quotes, and Flink writes none',
    ],
    [
      "rows that are kept",
      "SELECT id FROM transfers",
      "type: postgres, table: chosen, on_conflict: nothing",
      'sink "out" keeps rows that are there',
    ],
    [
      "rows that are parked",
      "SELECT id FROM transfers",
      "type: postgres, table: chosen, on_error: park",
      'sink "out" parks rows, which Flink does not',
    ],
    [
      "deletions with their rows",
      "SELECT id FROM transfers",
      "type: kafka, topic: t",
      'sink "out" writes deleted rows',
    ],
    [
      "another sink",
      "SELECT id FROM transfers",
      "type: clickhouse, table: chosen",
      'sink "out" is of type clickhouse, which Flink cannot write',
    ],
  ])("refuses %s", async (_, sql, sink, message) => {
    expect(await exported(pipelineOf(sql, sink))).toEqual([message]);
  });

  it("refuses a name with a dot", async () => {
    const yaml = pipelineOf("SELECT id FROM base.transfers", "type: postgres, table: chosen");
    expect(await exported(yaml.replace("  transfers:", "  base.transfers:"))).toEqual([
      'Flink would take the dot in "base.transfers" for that of a database',
    ]);
  });

  it("refuses a definition without a query for it", async () => {
    const yaml = pipelineOf(
      "SELECT id, keccak256(id) AS hash FROM transfers",
      "type: postgres, table: chosen",
    );
    expect(await exported(yaml)).toEqual(["no query is left for Flink to run"]);
  });

  it("refuses a query that uses our functions after an aggregate", async () => {
    const yaml = pipelineOf(
      "SELECT sender, keccak256(sender) AS hash, count(*) AS n FROM transfers GROUP BY sender",
      "type: postgres, table: chosen",
      "sender",
    );
    expect(await exported(yaml)).toEqual([
      'keccak256() is computed before Flink, so "chosen" cannot use all rows of what it reads: GROUP BY needs more than one row at a time',
    ]);
  });
});
