import { describe, expect, it } from "vitest";
import { plannedPipeline } from "../../support/pipelines/planned-pipeline.js";

/** A flow whose transforms each read the one before. */
function chainOf(queries: readonly ((before: string) => string)[]): string {
  const transforms = queries.map((query, index) => {
    const before = index === 0 ? "blocks" : `t${index - 1}`;
    return `  t${index}: { type: sql, primary_key: id, sql: ${JSON.stringify(query(before))} }`;
  });
  return `
name: x
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks } }
transforms:
${transforms.join("\n")}
sinks: { shown: { type: blackhole, from: t${queries.length - 1} } }`;
}

function steps(count: number, query: (before: string) => string): string {
  return chainOf(Array.from({ length: count }, () => query));
}

function listed(count: number, item: (index: number) => string, between = ", "): string {
  return Array.from({ length: count }, (_, index) => item(index)).join(between);
}

const nested = (depth: number): string =>
  depth === 0
    ? "blocks"
    : `(SELECT id FROM ${nested(depth - 1)} UNION ALL SELECT id FROM ${nested(depth - 1)})`;

const outgrown: readonly (readonly [string, string])[] = [
  [
    "a transform that is read twice, 26 times",
    steps(26, (one) => `SELECT id FROM ${one} UNION ALL SELECT id FROM ${one}`),
  ],
  [
    "the same in capitals",
    steps(26, (one) => `SELECT id FROM ${one.toUpperCase()} UNION ALL SELECT id FROM ${one}`),
  ],
  [
    "a transform that subqueries read twice",
    steps(
      40,
      (one) => `SELECT id FROM (SELECT * FROM ${one}) UNION ALL SELECT id FROM (SELECT * FROM ${one})`,
    ),
  ],
  [
    "queries of a WITH that are read twice",
    steps(
      1,
      (one) =>
        `WITH c0 AS (SELECT id FROM ${one}), ${listed(30, (index) => `c${index + 1} AS (SELECT id FROM c${index} UNION ALL SELECT id FROM c${index})`)} SELECT id FROM c30`,
    ),
  ],
  ["a text with many tables", chainOf([() => `SELECT id FROM ${nested(10)}`])],
  ["stars beside stars", steps(30, (one) => `SELECT *, * FROM ${one}`)],
  ["COLUMNS beside stars", steps(30, (one) => `SELECT *, COLUMNS(*) FROM ${one}`)],
  [
    "aliases of aliases",
    steps(
      1,
      (one) =>
        `SELECT id, number AS a0, ${listed(30, (index) => `a${index} + a${index} AS a${index + 1}`)} FROM ${one}`,
    ),
  ],
  [
    "aliases in the condition",
    steps(
      1,
      (one) =>
        `SELECT id, number AS a0, ${listed(15, (index) => `a${index} + a${index} AS a${index + 1}`)} FROM ${one} WHERE ${listed(20, () => "a15 > 1", " AND ")}`,
    ),
  ],
  [
    "conditions joined with OR",
    steps(1, (one) => `SELECT id FROM ${one} WHERE ${listed(90_000, () => "id='a'", " or ")}`),
  ],
  [
    "a list of values read by many",
    chainOf([
      (one) => `SELECT id FROM ${one} WHERE id IN (${listed(9_000, (index) => `'${index}'`)})`,
      (one) => listed(30, () => `SELECT id FROM ${one}`, " UNION ALL "),
    ]),
  ],
  [
    "a very long list of values",
    steps(1, (one) => `SELECT id FROM ${one} WHERE id IN (${listed(300_000, () => "'a'")})`),
  ],
];

describe("a definition is refused at the transform that outgrows the limits:", () => {
  it.each(outgrown)("%s", async (_, yaml) => {
    const planned = await plannedPipeline(yaml);
    expect(Array.isArray(planned) ? planned : ["sound"]).toEqual([expect.stringMatching(/^sql-too-large: /)]);
  });

  it("joins of a job, which double columns and tables", async () => {
    const yaml = steps(30, (one) => `SELECT a.*, b.* FROM ${one} a JOIN ${one} b ON a.id = b.id`);
    expect(await plannedPipeline(yaml, undefined, true)).toEqual([expect.stringMatching(/^sql-too-large: /)]);
  });

  it("subqueries in expressions of a job", async () => {
    const yaml = steps(30, (one) => `SELECT id FROM ${one} WHERE id IN (SELECT id FROM ${one})`);
    expect(await plannedPipeline(yaml, undefined, true)).toEqual([expect.stringMatching(/^sql-too-large: /)]);
  });

  it("the filter of a source", async () => {
    const yaml = `
name: x
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks, filter: "${listed(6_000, (index) => `id = '${index}'`, " or ")}" } }
sinks: { shown: { type: blackhole, from: blocks } }`;
    expect(await plannedPipeline(yaml)).toEqual([expect.stringMatching(/^sql-too-large: /)]);
  });
});

describe("a definition fits:", () => {
  it.each([
    ["60 transforms that each read the one before", steps(60, (one) => `SELECT id FROM ${one}`)],
    [
      "a transform that is read twice, 8 times",
      steps(8, (one) => `SELECT id FROM ${one} UNION ALL SELECT id FROM ${one}`),
    ],
    [
      "20,000 values in a list",
      steps(2, (one) => `SELECT id FROM ${one} WHERE id IN (${listed(20_000, (index) => `'${index}'`)})`),
    ],
    [
      "40 computed columns that use each other",
      steps(
        1,
        (one) =>
          `SELECT id, number AS a0, ${listed(40, (index) => `a${index} + 1 AS a${index + 1}`)} FROM ${one}`,
      ),
    ],
  ])("%s", async (_, yaml) => {
    const planned = await plannedPipeline(yaml);
    expect(Array.isArray(planned) ? planned : []).toEqual([]);
  });
});

describe("a query that is nested too deeply is refused with a sentence:", () => {
  it.each([
    ["parentheses", (depth: number) => `SELECT ${"(".repeat(depth)}id${")".repeat(depth)} AS id FROM blocks`],
    [
      "subqueries",
      (depth: number) => `SELECT id FROM ${"(SELECT id FROM ".repeat(depth)}blocks${")".repeat(depth)}`,
    ],
    ["unions", (depth: number) => listed(depth, () => "SELECT id FROM blocks", " UNION ALL ")],
    ["lists", (depth: number) => `SELECT id, ${"[".repeat(depth)}1${"]".repeat(depth)} AS l FROM blocks`],
    ["NOT", (depth: number) => `SELECT id FROM blocks WHERE ${"NOT ".repeat(depth)} true`],
    [
      "CASE",
      (depth: number) =>
        `SELECT id, ${"CASE WHEN true THEN ".repeat(depth)}1${" END".repeat(depth)} AS n FROM blocks`,
    ],
  ])("%s", async (_, query) => {
    for (const depth of [1_500, 20_000]) {
      const planned = await plannedPipeline(chainOf([() => query(depth)]));
      expect(Array.isArray(planned) ? planned : ["sound"]).toEqual([
        expect.stringMatching(/^(sound$|sql-(too-large|syntax|error): )/),
      ]);
    }
  });
});

describe("a script that is nested too deeply is refused with a sentence:", () => {
  it.each([
    ["lists", (depth: number) => `const x = ${"[".repeat(depth)}${"]".repeat(depth)};`],
    ["calls", (depth: number) => `const x = ${"f(".repeat(depth)}${")".repeat(depth)};`],
    ["blocks", (depth: number) => `${"{".repeat(depth)}${"}".repeat(depth)}`],
    ["conditions", (depth: number) => `const x = ${"1 ? ".repeat(depth)}1${" : 1".repeat(depth)};`],
    ["types", (depth: number) => `let x: ${"A<".repeat(depth)}B${">".repeat(depth)};`],
  ])("%s", async (_, text) => {
    const script = `${text(20_000)} function invoke(data) { return { id: data.id }; }`;
    const yaml = `
name: x
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks } }
transforms: { t: { type: script, from: blocks, primary_key: id, schema: { id: string }, script: ${JSON.stringify(script)} } }
sinks: { shown: { type: blackhole, from: t } }`;
    expect(await plannedPipeline(yaml)).toEqual(["script-forbidden: the script is nested too deeply"]);
  });
});
