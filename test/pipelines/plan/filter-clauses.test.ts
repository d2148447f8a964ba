import { expect, it } from "vitest";
import { plannedPipeline } from "../../support/pipelines/planned-pipeline.js";

const planOf = (filter: string) =>
  plannedPipeline(
    `
name: f
sources: { a: { type: dataset, dataset_name: base.erc20_transfers, filter: ${JSON.stringify(filter)} } }
sinks: { out: { type: blackhole, from: a } }
`,
  );

it.each([
  "amount > 3",
  "(amount > 3) OR (sender = recipient)",
  "amount > 3 -- a comment",
  "address IN ('0x1')",
])("a filter is one condition: %s", async (filter) => {
  expect(await planOf(filter)).toMatchObject({ name: "f" });
});

it.each([
  "true) UNION ALL SELECT * FROM source WHERE (true",
  "true) UNION ALL SELECT * FROM other WHERE (true",
  "true) ORDER BY (id",
  "true) LIMIT (5",
  "true) GROUP BY (id",
  "true) QUALIFY (true",
])("a filter cannot end its own parentheses: %s", async (filter) => {
  expect(await planOf(filter)).toEqual(expect.arrayContaining([expect.stringMatching(/^sql-/)]));
});
