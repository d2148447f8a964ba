import { beforeAll, describe, expect, it } from "vitest";
import { Report } from "../../../../src/compiler/diagnostics/report.js";
import { loadDefinition } from "../../../../src/pipelines/definition/load-definition.js";
import type { IntegerForm } from "../../../../src/pipelines/flink/column-types.js";
import { splitPipeline } from "../../../../src/pipelines/flink/split-pipeline.js";
import { exportToFlink } from "../../../../src/pipelines/host/flink/export-to-flink.js";
import { planPipeline } from "../../../../src/pipelines/plan/plan-pipeline.js";
import { allSinks } from "../../../../src/pipelines/sinks/all-sinks.js";
import { memoryHost } from "../../../support/compiler/memory-host.js";
import { attacks } from "../../../support/pipelines/flink-attacks.js";
import { openEngine } from "../../../support/pipelines/law-pipeline.js";
import { agreeingExpressions } from "../../../support/pipelines/lexer-corpus.js";

/**
 * What Flink gets of each query, in a pipeline with all of them: opening a database for each of so many takes long.
 * @returns the texts, or the messages about a pipeline that is refused
 */
async function allGiven(
  queries: readonly string[],
  integers: IntegerForm = "decimal",
): Promise<{
  readonly texts: readonly string[];
  readonly messages?: readonly string[];
  /** The queries that are refused. */
  readonly refused?: ReadonlySet<string>;
}> {
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
  const flow = plan && splitPipeline(plan, integers, report);
  const text = flow && exportToFlink(flow, integers);
  if (text === undefined) {
    const places = report.diagnostics.map(
      ({ at }) => /^\/transforms\/chosen(\d+)/.exec(at?.pointer ?? "")?.[1],
    );
    return {
      texts: [],
      messages: report.diagnostics.map(({ message }) => message),
      refused: new Set(places.flatMap((place) => queries[Number(place)] ?? [])),
    };
  }
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
  it("does not exist, not even in part", async () => {
    let left: readonly string[] = attacks("project_victim.victim.mine").map((sql) =>
      sql.replaceAll(/\bmine\b/g, "renamed").replaceAll(/\bsecret\b/g, "who"),
    );
    // Queries that the check refuses hide the others, which the printer refuses.
    for (let round = 1; round <= 2; round += 1) {
      const { refused } = await allGiven(left);
      left = left.filter((sql) => !refused?.has(sql));
    }
    expect(left).toEqual([]);
  });
});

describe("what Flink receives if integers of 256 bits are text", () => {
  const printed: readonly (readonly [sql: string, part: string])[] = [
    ["SELECT id, amount FROM renamed", "SELECT `id`, `amount`\nFROM `renamed`"],
    [
      "SELECT id, CAST(amount AS VARCHAR) AS t FROM renamed WHERE amount <> 5",
      "SELECT `id`, CAST(`amount` AS STRING) AS `t`\nFROM `renamed`\nWHERE (`amount` <> '5')",
    ],
    [
      "SELECT id FROM renamed WHERE amount IN (1, block_number, CAST('0012' AS BIGNUM), NULL)",
      "WHERE (`amount` IN ('1', CAST(`block_number` AS STRING), '12', CAST(NULL AS STRING)))",
    ],
    [
      "SELECT id, CASE WHEN who = 'a' THEN amount ELSE 0 END AS v FROM renamed",
      "CASE WHEN (`who` = 'a') THEN `amount` ELSE '0' END AS `v`",
    ],
    [
      "SELECT id, TRY_CAST(amount AS DECIMAL(38, 0)) AS n, CAST(amount AS DOUBLE) AS d FROM renamed",
      "TRY_CAST(`amount` AS DECIMAL(38, 0)) AS `n`, CAST(`amount` AS DOUBLE) AS `d`",
    ],
    [
      "SELECT a.id FROM renamed a JOIN (SELECT id, amount AS most FROM renamed) b ON a.amount = b.most",
      "ON (`a`.`amount` = `b`.`most`)",
    ],
    [
      "SELECT who AS id, sum(block_number) AS v FROM renamed GROUP BY who",
      "SELECT `id`, CAST(`v` AS STRING) AS `v`\nFROM (\nSELECT `who` AS `id`, SUM(`block_number`) AS `v`\nFROM `renamed`\nGROUP BY `who`\n) AS `computed` (`id`, `v`)",
    ],
    [
      "SELECT id FROM renamed WHERE amount >= 10",
      "WHERE (NOT (((`amount` LIKE '-%') AND NOT ('10' LIKE '-%'))",
    ],
    [
      "SELECT id, amount FROM renamed UNION ALL SELECT id, CAST(block_number AS BIGNUM) FROM renamed",
      "SELECT `id`, CAST(`block_number` AS STRING)\nFROM `renamed`",
    ],
    [
      "SELECT who AS id, sum(amount) FILTER (WHERE block_number > 5) - sum(amount) AS v FROM renamed GROUP BY who",
      "(SUM(CASE WHEN (`block_number` > 5) THEN CAST((CASE WHEN (`amount` LIKE '-%')",
    ],
    [
      "SELECT who AS id, max(amount) AS v FROM renamed GROUP BY who",
      "COALESCE(REGEXP_REPLACE(MAX(CASE WHEN NOT (`amount`",
    ],
  ];
  const refused: readonly (readonly [sql: string, message: RegExp])[] = [
    ["SELECT id, amount * 2 AS v FROM renamed", /\*\(\) of an integer of 256 bits/],
    ["SELECT who AS id, avg(amount) AS v FROM renamed GROUP BY who", /avg\(\) of an integer/],
    [
      "SELECT id, CAST(amount AS DECIMAL(38, 0)) AS v FROM renamed",
      /on which a larger one would stop the job/,
    ],
    ["SELECT id, amount FROM renamed ORDER BY amount LIMIT 3", /ORDER BY an integer of 256 bits/],
    [
      "SELECT id FROM renamed WHERE amount = CAST(block_number AS DOUBLE)",
      /something that is not an integer/,
    ],
    ["SELECT id, amount FROM renamed UNION ALL SELECT id, block_number FROM renamed", /on one side only/],
    [
      "SELECT id FROM (SELECT id, amount FROM renamed) a JOIN (SELECT id AS other, block_number AS amount FROM renamed) b ON a.amount = b.amount",
      /the column amount, which may or may not be/,
    ],
    ["SELECT id FROM renamed WHERE block_number IN (SELECT amount FROM renamed)", /IN with an integer/],
  ];

  it("has them as text in each query, also where they are compared and added", async () => {
    const { texts, messages } = await allGiven(
      printed.map(([sql]) => sql),
      "string",
    );
    expect(messages).toBeUndefined();
    for (const [index, [sql, part]] of printed.entries()) expect(texts[index], sql).toContain(part);
  });

  it("does not exist where a large integer would stop the job or be compared as text", async () => {
    const { messages = [] } = await allGiven(
      refused.map(([sql]) => sql),
      "string",
    );
    expect(messages).toEqual(refused.map(([, message]) => expect.stringMatching(message)));
  });
});
