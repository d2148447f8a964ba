import { expect, it } from "vitest";
import { lineageChanges } from "../../../src/pipelines/sinks/lineage/lineage-changes.js";
import {
  readLineage,
  type SinkLineage,
  sinkLineage,
} from "../../../src/pipelines/sinks/lineage/sink-lineage.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";

/** A definition, and how it may be written otherwise. */
const plain = {
  source: "transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: 100 }",
  sql: "SELECT id, amount FROM transfers WHERE amount > 100",
  node: "large",
  key: "id",
  sink: "type: postgres, table: large, secret_name: DB",
};

async function lineageOf(other: Partial<typeof plain>): Promise<SinkLineage> {
  const { source, sql, node, key, sink } = { ...plain, ...other };
  const plan = await soundPipeline(`
name: lineage
sources:
  ${source}
transforms:
  ${node}: { primary_key: ${key}, sql: ${JSON.stringify(sql)} }
sinks:
  stored: { from: ${node}, ${sink} }
`);
  const [planned] = plan.sinks;
  if (!planned) throw new Error("there is no sink");
  return sinkLineage(plan, planned);
}

async function changes(other: Partial<typeof plain>): Promise<readonly string[]> {
  const before = readLineage(JSON.stringify(await lineageOf({})));
  if (!before) throw new Error("the lineage cannot be read");
  return lineageChanges(before, await lineageOf(other)).map(({ text, bars }) =>
    bars ? `${text} [anew]` : text,
  );
}

it.each<[string, Partial<typeof plain>]>([
  ["layout and comments", { sql: "select  id,\n amount -- all of it\nfrom transfers where amount>100;" }],
  ["the name of a transform", { node: "big" }],
  [
    "batches and secrets",
    { sink: "type: postgres, table: large, secret_name: DB2, batch_size: 5, on_error: park" },
  ],
  [
    "what is for people",
    { sink: "type: postgres, table: large, secret_name: DB, description: large transfers" },
  ],
  [
    "a setting that is its default",
    { sink: "type: postgres, table: large, secret_name: DB, on_conflict: update" },
  ],
  [
    "the end of a source",
    {
      source:
        "transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: 100, end_block: 200 }",
    },
  ],
])("the comparison does not treat %s as a change", async (_, other) => {
  expect(await changes(other)).toEqual([]);
});

it.each<[string, Partial<typeof plain>, readonly string[]]>([
  ["a query", { sql: "SELECT id, amount FROM transfers WHERE amount > 10" }, ["the query of large"]],
  [
    "columns",
    { sql: "SELECT id, CAST(amount AS VARCHAR) AS amount, sender FROM transfers WHERE amount > 100" },
    [
      "columns added (sender STRING)",
      "types of columns (amount from DECIMAL to STRING)",
      "the query of large",
    ],
  ],
  [
    "a column less",
    { sql: "SELECT id FROM transfers WHERE amount > 100" },
    ["columns removed (amount)", "the query of large"],
  ],
  [
    "a key",
    { key: "amount" },
    ["its key (amount, before id) [anew]", "the key of large (amount, before id)"],
  ],
  [
    "a filter",
    {
      source:
        "transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: 100, filter: amount > 3 }",
    },
    ["the filter of source transfers"],
  ],
  [
    "a start",
    { source: "transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: earliest }" },
    ["the start of source transfers (earliest, before 100)"],
  ],
  [
    "a dataset",
    { source: "transfers: { type: dataset, dataset_name: ethereum.erc20_transfers, start_at: 100 }" },
    [
      "the dataset of source transfers (dataset_name: ethereum.erc20_transfers, before base.erc20_transfers) [anew]",
    ],
  ],
  [
    "the name of a source, under which its position is kept",
    {
      source: "moved: { type: dataset, dataset_name: base.erc20_transfers, start_at: 100 }",
      sql: "SELECT id, amount FROM moved WHERE amount > 100",
    },
    ["the name of source moved, which was transfers [anew]"],
  ],
  [
    "a type in the table",
    { sink: "type: postgres, table: large, secret_name: DB, schema_override: { amount: text }" },
    ["its schema_override"],
  ],
  [
    "another kind of sink",
    { sink: "type: mysql_sink, table: large, secret_name: DB" },
    ["the type of the sink, which was postgres [anew]"],
  ],
])("the comparison names %s", async (_, other, expected) => {
  expect(await changes(other)).toEqual(expected);
});
