import { expect } from "vitest";
import type { Rows } from "../../../src/pipelines/changes/rows.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { lineageGuard } from "../../../src/pipelines/runner/guard-lineage.js";
import type { AuditedWorld } from "../../../src/pipelines/sinks/audit.js";
import { sinkLineage } from "../../../src/pipelines/sinks/lineage/sink-lineage.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { changedSink, continueSink, resetSink } from "../../../src/pipelines/snapshots/changed-sinks.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { soundPipeline } from "./planned-pipeline.js";

/** A table whose definition is changed. */
export interface ChangingTable {
  readonly world: AuditedWorld;
  /** The settings of the sink that say where the table is, such as `type: postgres, secret_name: DB, table: t`. */
  readonly settings: string;
  /** The rows of the table, as JSON, by `id`. */
  rows(): Promise<readonly unknown[]>;
}

const advice = { either: "Choose.", anew: "Reset." };

/** Changes the definition of a table that has rows, also of a block that may still be undone, in every way. */
export async function expectChanges({ world, settings, rows }: ChangingTable): Promise<void> {
  const planOf = async (sql: string, others = ""): Promise<PipelinePlan> =>
    soundPipeline(`
name: changing
sources:
  transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: earliest }
transforms:
  chosen: { primary_key: id, sql: ${JSON.stringify(sql)} }
sinks:
  stored: { from: chosen, ${settings}${others} }
`);
  const sinkOf = ({ sinks: [sink] }: PipelinePlan): PlannedSink => {
    if (!sink) throw new Error("there is no sink");
    return sink;
  };
  const opened = (plan: PipelinePlan): Promise<Sink> => {
    const lineage = lineageGuard(sinkLineage(plan, sinkOf(plan)), advice);
    return openSink(sinkOf(plan), { flow: plan.name, sources: ["transfers"], lineage }, world);
  };
  /** Writes a row of a block, which may still be undone. */
  const write = async (plan: PipelinePlan, block: number, row: readonly (string | null)[]): Promise<void> => {
    const sink = await opened(plan);
    const found: Rows = { count: 1, columns: row.map((value) => [value]) };
    const before = sink.positions.get("transfers")?.open ?? [];
    const batch: SinkBatch = {
      source: "transfers",
      from: block,
      to: block,
      changes: { schema: sinkOf(plan).schema, operations: ["i"], rows: found, overwritten: 0 },
      position: { next: block + 1, open: [...before, { number: block, hash: `0x${block}`, rows: found }] },
      ledger: { from: block, to: block, rows: 1, sum: 1n },
    };
    await sink.write(batch);
    await sink.end?.("transfers", block + 1);
    await sink.close();
  };
  const changesOf = async (plan: PipelinePlan): Promise<readonly string[]> =>
    (await changedSink(plan, sinkOf(plan), world)).changes.map(({ text }) => text);
  const nextOf = async (plan: PipelinePlan): Promise<number | undefined> => {
    const sink = await opened(plan);
    await sink.close();
    return sink.positions.get("transfers")?.next;
  };

  const first = await planOf("SELECT id, amount FROM transfers");
  expect(await changesOf(first)).toEqual([]);
  await write(first, 5, ["a", "1"]);
  expect(await changesOf(first)).toEqual([]);

  const sql = "SELECT id, amount, sender FROM transfers";
  const frozen = await planOf(sql);
  expect(await changesOf(frozen)).toEqual(["columns added (sender STRING)", "the query of chosen"]);
  await expect(opened(frozen)).rejects.toThrow(
    "Its rows are no longer computed as before: columns added (sender STRING); the query of chosen. Choose.",
  );
  const said: string[] = [];
  const goOn = async (plan: PipelinePlan): Promise<void> =>
    continueSink(plan, await changedSink(plan, sinkOf(plan), world), world, (text) => said.push(text));
  await expect(goOn(frozen)).rejects.toThrow(
    /has no column sender\. Set schema_changes: evolve, or add it with/,
  );
  const evolving = await planOf(sql, ", schema_changes: evolve");
  await goOn(evolving);
  expect(said).toEqual(["Sink stored goes on: rows that it has stay as they were computed"]);
  // No later batch could delete the row, so its block is computed again.
  expect([await rows(), await nextOf(evolving)]).toEqual([[], 5]);
  await write(evolving, 5, ["a", "1", "me"]);
  await write(evolving, 6, ["b", "2", null]);
  expect(await rows()).toEqual([
    { id: "a", amount: "1", sender: "me" },
    { id: "b", amount: "2", sender: null },
  ]);

  const filtered = await planOf(`${sql} WHERE amount > 1`);
  expect(await changesOf(filtered)).toEqual(["the query of chosen"]);
  await resetSink(filtered, await changedSink(filtered, sinkOf(filtered), world), false, world);
  expect([await rows(), await changesOf(filtered), await nextOf(filtered)]).toEqual([[], [], undefined]);
  await write(filtered, 6, ["b", "2", null]);

  const text = await planOf("SELECT id, CAST(amount AS VARCHAR) || ' wei' AS amount FROM transfers");
  await resetSink(text, await changedSink(text, sinkOf(text), world), true, world);
  expect([await rows(), await nextOf(text)]).toEqual([[], undefined]);
  await write(text, 7, ["c", "3 wei"]);
  expect(await rows()).toEqual([{ id: "c", amount: "3 wei" }]);
}
