import { expect, it } from "vitest";
import { graphloom, workplace } from "../../cli/harness.js";
import { forbiddenPlaces as places } from "../../support/pipelines/forbidden-places.js";

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
