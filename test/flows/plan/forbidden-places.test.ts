import { expect, it } from "vitest";
import { graphloom, workplace } from "../../cli/harness.js";

const file = "SELECT content FROM read_text('/etc/passwd')";
const places = [
  `SELECT id FROM logs WHERE data IN (${file})`,
  `SELECT id FROM logs WHERE EXISTS (${file})`,
  `SELECT id, (${file}) AS x FROM logs`,
  `SELECT id, CASE WHEN id = '' THEN (${file}) ELSE '' END AS x FROM logs`,
  `SELECT id FROM logs ORDER BY (${file})`,
  `SELECT id FROM logs ORDER BY id LIMIT (SELECT count(*) FROM read_text('/etc/passwd'))`,
  `SELECT id, upper((${file})) AS x FROM logs`,
  `SELECT l.id FROM logs l JOIN logs r ON l.id = (${file})`,
  `SELECT id, row_number() OVER (PARTITION BY (${file}) ORDER BY id) AS n FROM logs`,
  `SELECT id, list_transform([id], lambda x: x || (${file})) AS x FROM logs`,
  `SELECT id FROM logs QUALIFY row_number() OVER (ORDER BY id) = length((${file}))`,
  `SELECT address AS id FROM logs GROUP BY address HAVING max(data) IN (${file})`,
  `SELECT id FROM logs, (VALUES ((${file}))) AS v(x)`,
  `SELECT id FROM logs, read_text(logs.data)`,
  `WITH c AS (${file}) SELECT id FROM logs, c`,
];

/** A definition with a transform in each line from the fifth on, and a sink for each. */
function definition(queries: readonly string[], job: boolean): string {
  const names = queries.map((_, index) => `t${index}`);
  return [
    `name: x\njob: ${job}\nsources: { logs: { type: dataset, dataset_name: base.raw_logs, start_at: 1, end_block: 2 } }\ntransforms:`,
    ...queries.map((sql, index) => `  t${index}: { primary_key: id, sql: ${JSON.stringify(sql)} }`),
    "sinks:",
    ...names.map((name) => `  s${name}: { type: print, from: ${name} }`),
  ].join("\n");
}

it.each([
  ["a stream", false, "pipeline validate x.yaml"],
  ["a job", true, "pipeline validate x.yaml"],
  ["Flink", false, "pipeline export x.yaml --engine flink"],
  ["a job of Flink", true, "pipeline export x.yaml --engine flink"],
])("a function that reads files is found at its line, wherever a query of %s has it", async (_, job, line) => {
  // The command prints fifty errors, and a stream has several for a query.
  for (const queries of [places.slice(0, 8), places.slice(8)]) {
    const { code, err } = await graphloom(workplace({ "x.yaml": definition(queries, job) }), line);
    expect(code).toBe(1);
    const found = err.matchAll(
      /^error\[sql-forbidden\]: read_text\(\) is not a source of the flow\n +--> x\.yaml:(\d+):/gm,
    );
    const lines = new Set([...found].map(([, at]) => Number(at)));
    expect([...lines]).toEqual(queries.map((_query, index) => index + 5));
  }
});
