import { describe, expect, it } from "vitest";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { loadDefinition } from "../../../src/pipelines/definition/load-definition.js";
import { exportToFlink } from "../../../src/pipelines/flink/export-to-flink.js";
import { planPipeline } from "../../../src/pipelines/plan/plan-pipeline.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { agreeingExpressions, refusedQueries } from "../../support/pipelines/lexer-corpus.js";

/** What Flink gets of a query, or the messages about it. */
async function given(sql: string): Promise<string | readonly string[]> {
  const yaml = JSON.stringify({
    name: "f",
    sources: { played: { type: "dataset", dataset_name: "base.erc20_transfers", start_at: "earliest" } },
    transforms: {
      renamed: {
        sql: "SELECT id, sender AS who, amount, block_number, false AS flag FROM played",
        primary_key: "id",
      },
      chosen: { sql, primary_key: "id" },
    },
    sinks: { out: { type: "kafka", from: "chosen", topic: "t", deletions: "tombstone", secret_name: "K" } },
  });
  const report = new Report();
  const host = memoryHost({ "f.yaml": yaml });
  const definition = await loadDefinition("f.yaml", host, () => undefined, report);
  const plan = definition && (await planPipeline(definition, { openEngine, anySql: true }, report));
  const text = plan && exportToFlink(plan, "decimal", report);
  if (text === undefined) return report.diagnostics.map(({ message }) => message);
  const [, query = ""] = /`chosen` \([^)]*\) AS \(\n([\s\S]*?)\n\)\nSELECT\n/.exec(text) ?? [];
  return query;
}

const ofRenamed = (sql: string): string => sql.replaceAll(/\bplayed\b(?!`?\.)/g, "renamed");

describe("what Flink gets of a query", () => {
  it.each([
    [
      "SELECT id, 'a' /* /* */ ) SELECT secret FROM graphloom.topics.victim -- */ AS v FROM renamed",
      "SELECT `id`, 'a' AS `v`\nFROM `renamed`",
    ],
    [
      "SELECT who AS id, count(*) AS n FROM renamed GROUP BY ROLLUP (who)",
      "SELECT `who` AS `id`, COUNT(*) AS `n`\nFROM `renamed`\nGROUP BY GROUPING SETS ((), (`who`))",
    ],
    ["SELECT id, '' AS v FROM renamed", "SELECT `id`, '' AS `v`\nFROM `renamed`"],
    ["FROM renamed SELECT id", "SELECT `id`\nFROM `renamed`"],
    ["SELECT id, FROM renamed", "SELECT `id`\nFROM `renamed`"],
    ["SELECT * FROM renamed", "SELECT *\nFROM `renamed`"],
    ["SELECT r.*, 1 AS one FROM renamed r", "SELECT `r`.*, 1 AS `one`\nFROM `renamed` AS `r`"],
    [
      "SELECT id, x FROM renamed, unnest([who]) t(x)",
      "SELECT `id`, `x`\nFROM `renamed`\nCROSS JOIN UNNEST(ARRAY[`who`]) AS `t` (`x`)",
    ],
    [
      "SELECT id, x FROM renamed JOIN unnest([who]) t(x) ON true",
      "SELECT `id`, `x`\nFROM `renamed`\nCROSS JOIN UNNEST(ARRAY[`who`]) AS `t` (`x`)",
    ],
    ["SELECT r.id FROM RENAMED r", "SELECT `r`.`id`\nFROM `renamed` AS `r`"],
    [
      "WITH Other(id) AS (SELECT who FROM renamed) SELECT id FROM oTHER",
      "WITH `Other` (`id`) AS (\nSELECT `who`\nFROM `renamed`\n)\nSELECT `id`\nFROM `Other`",
    ],
    [
      "SELECT id, who FROM renamed ORDER BY 2 LIMIT 3",
      "SELECT `id`, `who`\nFROM `renamed`\nORDER BY `who` NULLS LAST\nLIMIT 3",
    ],
    [
      "SELECT upper(who) AS id, count(*) AS n FROM renamed GROUP BY 1",
      "SELECT UPPER(`who`) AS `id`, COUNT(*) AS `n`\nFROM `renamed`\nGROUP BY UPPER(`who`)",
    ],
    [
      "SELECT id FROM renamed WHERE who IN (SELECT who FROM renamed WHERE NOT EXISTS (SELECT 1 FROM renamed))",
      "SELECT `id`\nFROM `renamed`\nWHERE (`who` IN (\nSELECT `who`\nFROM `renamed`\nWHERE (NOT EXISTS (\nSELECT 1\nFROM `renamed`\n))\n))",
    ],
    [
      "SELECT id FROM renamed UNION ALL SELECT who FROM renamed",
      "(SELECT `id`\nFROM `renamed`)\nUNION ALL\n(SELECT `who`\nFROM `renamed`)",
    ],
    [
      "SELECT a.id, sum(b.amount) FILTER (WHERE b.who > 'c') AS s FROM renamed a LEFT JOIN renamed b USING (who) GROUP BY a.id HAVING count(DISTINCT b.id) > 1",
      "SELECT `a`.`id`, SUM(`b`.`amount`) FILTER (WHERE (`b`.`who` > 'c')) AS `s`\nFROM `renamed` AS `a`\nLEFT JOIN `renamed` AS `b` USING (`who`)\nGROUP BY `a`.`id`\nHAVING (COUNT(DISTINCT `b`.`id`) > 1)",
    ],
    [
      "SELECT id, row_number() OVER (PARTITION BY who ORDER BY block_number DESC) AS n FROM renamed",
      "SELECT `id`, ROW_NUMBER() OVER (PARTITION BY `who` ORDER BY `block_number` DESC) AS `n`\nFROM `renamed`",
    ],
    [
      "SELECT id, 123456789012345678901 AS n, -1.50 AS d, 'a\u00e9\\' AS t FROM renamed",
      "SELECT `id`, 123456789012345678901 AS `n`, (-1.50) AS `d`, U&'a\\00e9\\\\' AS `t`\nFROM `renamed`",
    ],
  ])("%s", async (sql, printed) => {
    expect(await given(sql)).toBe(printed);
  });

  it.each(agreeingExpressions)("has no comment, hint or raw text of the user: %s", async (expression) => {
    const printed = await given(
      `SELECT id, ${ofRenamed(expression).replaceAll("played.", "renamed.")} AS v FROM renamed`,
    );
    expect(printed).toEqual(expect.any(String));
    const outside = String(printed).replaceAll(/'(?:[^']|'')*'|`(?:[^`]|``)*`/g, "");
    expect(outside).not.toMatch(/--|\/\*|\*\/|;|"|\$|\\|::/);
  });

  it.each(refusedQueries)("does not exist for %s", async (sql) => {
    const messages = await given(ofRenamed(sql));
    expect(messages).toEqual(expect.arrayContaining([expect.any(String)]));
  });
});
