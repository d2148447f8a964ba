import { describe, expect, it } from "vitest";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { splitPipeline } from "../../../src/pipelines/flink/split-pipeline.js";
import { topicPipeline } from "../../../src/pipelines/flink/topic-pipeline.js";
import { flinkPipeline } from "../../support/pipelines/flink-pipeline.js";

/** Whether the topic of `played` takes only amounts that Flink's numbers can hold, if a query reads it. */
async function limitsAmounts(sql: string): Promise<boolean | undefined> {
  const plan = await flinkPipeline("f", {
    queries: [{ name: "chosen", sql, key: ["id"] }],
    tables: [{ from: "chosen", table: "t" }],
    job: false,
  });
  const report = new Report();
  const flow = splitPipeline(plan, "decimal", report);
  expect(report.diagnostics).toEqual([]);
  const sinks = flow && topicPipeline(flow, "decimal").sinks;
  return sinks?.find(({ name }) => name === "topic f.played")?.integerLimit?.columns.includes("amount");
}

describe("the topics that Flink reads", () => {
  it.each([
    "SELECT id, amount FROM played",
    "SELECT id FROM played p WHERE p.AMOUNT > 5",
    "SELECT id FROM played ORDER BY amount LIMIT 3",
    "SELECT * FROM played",
    "SELECT p.* FROM played p JOIN things t ON p.id = t.id",
    "SELECT t.id, p.who FROM things t JOIN played p ON p.amount = t.amount",
    "SELECT t.id FROM things t JOIN (SELECT PLAYED.amount AS a FROM played) p ON p.a = t.amount",
    "SELECT a.id FROM played a JOIN played b ON b.amount = a.block_number",
    "SELECT j.who AS id, j.amount FROM (played p JOIN things t ON p.id = t.owner) j",
    "FROM played",
    "TABLE played",
    "SELECT a AS id FROM played p (a, b, c, d) WHERE d > 5",
    "SELECT p.id FROM played p JOIN things t USING (amount)",
    "SELECT id FROM things WHERE version IN (SELECT block_number FROM played WHERE amount > 5)",
    "WITH w AS (SELECT id, amount AS x FROM played) SELECT id FROM w",
    "SELECT id FROM things UNION ALL SELECT id FROM (SELECT id, who, -amount FROM played) v (id, who, x)",
    "SELECT who AS id, count(*) AS n FROM played GROUP BY who HAVING sum(amount) > 5",
    "SELECT id, row_number() OVER (PARTITION BY who ORDER BY amount) AS n FROM played",
  ])("take no integer that Flink cannot hold in a column that is read by %s", async (sql) => {
    expect(await limitsAmounts(sql)).toBe(true);
  });

  it.each([
    "SELECT id, who FROM played",
    "SELECT who AS id, count(*) AS amounts FROM played GROUP BY who",
    "SELECT p.id, t.version FROM played p JOIN things t ON p.block_number = t.version",
    "SELECT p.id, t.amount FROM played p JOIN things t ON p.block_number = t.version",
    "SELECT t.*, p.who FROM played p JOIN things t ON p.block_number = t.version",
    "SELECT p.id, d FROM played p JOIN things t (a, b, c, d) ON p.block_number = d",
    "SELECT id, 'amount' AS v FROM played",
  ])("take integers of any size in a column that is not read by %s", async (sql) => {
    expect(await limitsAmounts(sql)).toBe(false);
  });
});
