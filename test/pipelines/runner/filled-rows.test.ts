import { expect, it } from "vitest";
import { present } from "../../../src/base/invariant.js";
import type { Rows } from "../../../src/pipelines/changes/rows.js";
import { FilledRows } from "../../../src/pipelines/runner/filled-rows.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";

const yaml = `
name: joined
sources: { transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: earliest } }
transforms:
  latest: { type: dynamic_table, backend_type: InMemory, backend_entity_name: l, primary_key: sender, sql: "SELECT sender, amount, block_number FROM transfers" }
  made: { primary_key: id, sql: "SELECT transfers.id, l.amount FROM transfers LEFT JOIN latest AS l ON l.sender = transfers.sender" }
sinks: { out: { type: print, from: made } }`;

const long = "9".repeat(30_000_000);
const most = "more than 1000000 rows or 100000000 characters";

function rowOf(sender: string, block: number): Rows {
  return { count: 1, columns: [[sender], [long], [BigInt(block)]] };
}

async function emptyRows(): Promise<FilledRows> {
  const { tables = [] } = await soundPipeline(yaml);
  const planned = present(tables[0], "the table is planned");
  return present(FilledRows.of(planned), "the table has rows");
}

it("a table has room again for the texts of rows that were undone or replaced", async () => {
  const rows = await emptyRows();
  for (let round = 0; round < 6; round += 1) {
    rows.add(rowOf("a", 5), { from: 5, to: 5 });
    rows.add(rowOf("a", 5), { from: 5, to: 5 });
    rows.add(rowOf("b", 6), { from: 6, to: 6 });
    rows.undo(6);
  }
  expect(rows.versions(["a"])).toHaveLength(1);
  expect(rows.versions(["b"])).toHaveLength(0);
});

it("a table refuses more texts than it can keep, whether or not rows were undone before", async () => {
  const rows = await emptyRows();
  for (const block of [1, 2, 3]) rows.add(rowOf("a", block), { from: block, to: block });
  rows.undo(3);
  rows.add(rowOf("a", 3), { from: 3, to: 3 });
  expect(() => rows.add(rowOf("a", 4), { from: 4, to: 4 })).toThrow(most);
});
