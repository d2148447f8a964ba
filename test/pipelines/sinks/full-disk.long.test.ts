import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import type { PlannedSource } from "../../../src/pipelines/plan/pipeline-plan.js";
import { type PipelineWorld, runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import type { SinkState } from "../../../src/pipelines/runner/sink-state.js";
import type { Source } from "../../../src/pipelines/sources/source.js";
import { openEngine } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { type RecordingServer, startRecordingServer } from "../../support/pipelines/recording-server.js";
import { sinkWorld } from "../../support/pipelines/sink-world.js";
import { diskFolder, mountDisk, removeDisk, smallDiskMissing } from "../../support/small-disk.js";

if (smallDiskMissing !== undefined) it.skip(smallDiskMissing, () => undefined);

describe.skipIf(smallDiskMissing !== undefined)("a sink whose disk is full", () => {
  let disk: string;
  let receiver: RecordingServer;
  beforeEach(async () => {
    disk = diskFolder();
    mountDisk(disk, "size=512k");
    receiver = await startRecordingServer();
  });
  afterEach(async () => {
    removeDisk(disk);
    await receiver.stop();
  });

  const sinks = {
    file: () => `type: file, path: ${disk}/rows, finalized: true, blocks_per_file: 1`,
    "partitioned file": () =>
      `type: file, path: ${disk}/rows, finalized: true, blocks_per_file: 1, partition_columns: [id]`,
    webhook: () => `type: webhook, url: "${receiver.url}"`,
  };

  const cases = Object.entries(sinks).flatMap(([name, definition]) =>
    [0, 3].map((batches) => [name, batches, definition] as const),
  );

  it.each(
    cases,
  )("waits for room, reports that, and continues: %s, full after %i batches", async (_, room, definition) => {
    const plan = await soundPipeline(`
name: rows
sources: { played: { type: dataset, dataset_name: anvil.raw_logs, start_at: earliest, end_block: 9 } }
transforms: { rows: { sql: "SELECT id, data, block_number FROM played", primary_key: id } }
sinks: { out: { from: rows, ${definition()} } }`);
    const [source] = plan.sources as readonly [PlannedSource];
    const played: Source = {
      async *batches(position) {
        for (let next = position?.next ?? 0; next < 10; next += 1) {
          const values = { id: `row ${next}`, data: "x".repeat(10_000), block_number: BigInt(next) };
          const columns = source.schema.columns.map(({ name }) => [
            name in values ? values[name as keyof typeof values] : null,
          ]);
          const delta = { minus: { count: 0, columns: columns.map(() => []) }, plus: { count: 1, columns } };
          yield { from: next, to: next, isUndone: false, delta, position: { next: next + 1, open: [] } };
          if (next + 1 === room) fill();
        }
      },
    };
    const filler = join(disk, "filler");
    let isFilled = false;
    const fill = (): void => {
      if (isFilled) return;
      isFilled = true;
      try {
        writeFileSync(filler, Buffer.alloc(1_000_000));
      } catch {
        // It takes all the room that there is.
      }
    };
    if (room === 0) fill();
    const states: SinkState[] = [];
    const world = {
      ...sinkWorld({ folder: join(disk, "state") }),
      openFiles: openTableFiles,
      openEngine,
      openSource: () => played,
    } as unknown as PipelineWorld;
    const ends = await runSinks(
      plan,
      world,
      (_sink, state) => {
        states.push(state);
        if (state.kind === "stalled") rmSync(filler, { force: true });
      },
      new AbortController().signal,
    );
    const stalls = states.flatMap((state) => (state.kind === "stalled" ? [state.why] : []));
    expect(stalls).toContain("A file cannot be used: the disk is full (ENOSPC).");
    expect(ends.get("out")).toMatchObject({ kind: "ended" });
  });
});
