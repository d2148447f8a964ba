import { beforeAll, describe, expect, it } from "vitest";
import { Report } from "../../../../src/compiler/diagnostics/report.js";
import { loadDefinition } from "../../../../src/pipelines/definition/load-definition.js";
import { splitPipeline } from "../../../../src/pipelines/flink/split-pipeline.js";
import { exportToFlink } from "../../../../src/pipelines/host/flink/export-to-flink.js";
import { planPipeline } from "../../../../src/pipelines/plan/plan-pipeline.js";
import { allSinks } from "../../../../src/pipelines/sinks/all-sinks.js";
import { memoryHost } from "../../../support/compiler/memory-host.js";
import { openEngine } from "../../../support/pipelines/law-pipeline.js";
import { agreeingExpressions, refusedQueries } from "../../../support/pipelines/lexer-corpus.js";

/**
 * What Flink gets of each query, in a pipeline with all of them: opening a database for each of so many takes long.
 * @returns the texts, or the messages about a pipeline that is refused
 */
async function allGiven(
  queries: readonly string[],
): Promise<{ readonly texts: readonly string[]; readonly messages?: readonly string[] }> {
  const chosen = queries.map((sql, index) => [`chosen${index}`, { sql, primary_key: "id" }] as const);
  const kafka = { type: "kafka", deletions: "tombstone", secret_name: "K" };
  const yaml = JSON.stringify({
    name: "f",
    sources: { played: { type: "dataset", dataset_name: "base.erc20_transfers", start_at: "earliest" } },
    transforms: {
      renamed: {
        sql: "SELECT id, sender AS who, amount, block_number, false AS flag FROM played",
        primary_key: "id",
      },
      ...Object.fromEntries(chosen),
    },
    sinks: Object.fromEntries(
      chosen.map(([name], index) => [`out${index}`, { ...kafka, from: name, topic: `t${index}` }]),
    ),
  });
  const report = new Report();
  const host = memoryHost({ "f.yaml": yaml });
  const read = async (): Promise<never> => {
    throw new Error("there is no network");
  };
  const world = { host, variables: () => undefined, sinkTypes: allSinks, read };
  const definition = (await loadDefinition("f.yaml", world, report))?.definition;
  const plan =
    definition && (await planPipeline(definition, { openEngine, sinkTypes: allSinks, anySql: true }, report));
  const flow = plan && splitPipeline(plan, report);
  const text = flow && exportToFlink(flow, "decimal");
  if (text === undefined) return { texts: [], messages: report.diagnostics.map(({ message }) => message) };
  const texts = chosen.map(([name]) => {
    const ofName = new RegExp(`\`${name}\` \\([^)]*\\) AS \\(\\n([\\s\\S]*?)\\n\\)\\nSELECT\\n`);
    return ofName.exec(text)?.[1] ?? "";
  });
  return { texts };
}

const ofRenamed = (sql: string): string => sql.replaceAll(/\bplayed\b(?!`?\.)/g, "renamed");

describe("what Flink receives for a query", () => {
  const printed: readonly (readonly [sql: string, printed: string])[] = [
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
  ];
  let texts: readonly string[];
  beforeAll(async () => {
    ({ texts } = await allGiven(printed.map(([sql]) => sql)));
  });

  it.each(printed.map(([sql, text], index) => [sql, text, index] as const))("%s", (_, text, index) => {
    expect(texts[index]).toBe(text);
  });
});

describe("what Flink receives for an expression", () => {
  let texts: readonly string[];
  beforeAll(async () => {
    ({ texts } = await allGiven(
      agreeingExpressions.map(
        (expression) =>
          `SELECT id, ${ofRenamed(expression).replaceAll("played.", "renamed.")} AS v FROM renamed`,
      ),
    ));
  });

  it.each(
    agreeingExpressions.map((expression, index) => [expression, index] as const),
  )("has no comment, hint or raw text of the user: %s", (_, index) => {
    expect(texts).toHaveLength(agreeingExpressions.length);
    const outside = String(texts[index]).replaceAll(/'(?:[^']|'')*'|`(?:[^`]|``)*`/g, "");
    expect(outside).not.toBe("");
    expect(outside).not.toMatch(/--|\/\*|\*\/|;|"|\$|\\|::/);
  });
});

describe("what Flink receives for a query that it refuses", () => {
  it.each(refusedQueries)("does not exist for %s", async (sql) => {
    const { messages } = await allGiven([ofRenamed(sql)]);
    expect(messages).toEqual(expect.arrayContaining([expect.any(String)]));
  });
});
