import { expect, it } from "vitest";
import { noRows } from "../../../src/pipelines/changes/rows.js";
import type { StoredRows } from "../../../src/pipelines/changes/stored-rows.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import type { Program } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { Source, SourceBatch } from "../../../src/pipelines/sources/source.js";
import { playedColumns } from "../../support/pipelines/played-source.js";

const schema = { columns: playedColumns, key: ["id"] };
const sink = {
  name: "out",
  definition: { type: "print", settings: {} },
  from: "played",
  schema,
} as unknown as PlannedSink;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A source of a hundred batches of stored rows, which notes how many were asked for. */
function storedSource(onRead: () => void): Source {
  return {
    async *batches() {
      for (let block = 0; block < 100; block += 1) {
        onRead();
        yield {
          from: block,
          to: block,
          isUndone: false,
          delta: { minus: noRows(3), plus: noRows(3) },
          position: { next: block + 1, open: [] },
          stored: { rows: { files: [], query: () => "" }, read: () => [] },
        } as unknown as SourceBatch;
      }
    },
  };
}

/** A program that notes how many batches it holds. */
function holdingProgram(storedAtOnce: number) {
  const held = { now: 0, most: 0, summed: 0 };
  const applyStored = async (): Promise<StoredRows> => {
    held.now += 1;
    held.most = Math.max(held.most, held.now);
    let isSummed = false;
    return {
      count: 1,
      facts: async () => {
        if (!isSummed) held.summed += 1;
        isSummed = true;
        return { count: 1, sum: 1n, isUnique: true };
      },
      drop: async () => {
        held.now -= 1;
      },
    } as Partial<StoredRows> as StoredRows;
  };
  const sources = [{ name: "played", schema }] as unknown as Program["sources"];
  const program: Program = {
    sources,
    applyStored,
    storedAtOnce,
    apply: async (_, delta) => delta,
    close: async () => undefined,
  };
  return { held, program };
}

it.each([
  [1, 2],
  [2, 3],
])("computing %i at once, holds %i batches while a sink is slow", async (atOnce, most) => {
  let read = 0;
  const { held, program } = holdingProgram(atOnce);
  const writes: (() => void)[] = [];
  const writer: Sink = {
    positions: new Map(),
    write: () => Promise.reject(new Error("the rows are stored")),
    storedWriting: {
      limits: { rows: 1, blocks: 1 },
      write: async () => {
        await new Promise<void>((resolve) => writes.push(resolve));
        return true;
      },
    },
    close: async () => undefined,
  };
  const source = storedSource(() => {
    read += 1;
  });
  const running = runSink(sink, writer, program, () => source, {
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  for (let written = 1; written <= 100; written += 1) {
    // Whatever can be done without the sink is done by then.
    for (let turns = 0; turns < 10; turns += 1) await turn();
    expect(writes).toHaveLength(written);
    // What batches are together is found out side by side as well, and in turn only if nothing else is.
    expect(held.summed).toBe(Math.min(100, atOnce > 1 ? written + most - 1 : written));
    expect(read).toBeLessThanOrEqual(written + most);
    writes.at(-1)?.();
  }
  expect((await running).rows).toBe(100);
  expect(held.most).toBe(most);
  expect(held.now).toBe(0);
});
