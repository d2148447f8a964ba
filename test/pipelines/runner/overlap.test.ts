import { expect, it } from "vitest";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import type { Program } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { Source } from "../../../src/pipelines/sources/source.js";
import type { SinkBatch } from "../../../src/pipelines/state/sink-batch.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { PlayedChain, playedColumns, playedSource } from "../../support/pipelines/played-source.js";

const schema = { columns: playedColumns, key: ["id"] };
const definition = { type: "print", settings: {} };
const sink = { name: "out", definition, from: "played", schema } as unknown as PlannedSink;
const options = { signal: new AbortController().signal, onProgress: () => undefined };

/** A program without transforms that notes the batches which it has computed. */
function noting(computed: (block: unknown) => void): Program {
  return {
    sources: [{ name: "played", schema }] as unknown as Program["sources"],
    apply: async (_, delta) => {
      computed(delta.plus.columns[1]?.[0]);
      return delta;
    },
    close: async () => undefined,
  };
}

function sinkOf(write: (batch: SinkBatch) => Promise<void>): Sink {
  return { positions: new Map(), write, close: async () => undefined };
}

it("INV-P5: the runner computes the next batch while one is written, and writes one at a time, in order", async () => {
  const chain = new PlayedChain(() => 0.9);
  for (let count = 0; count < 5; count += 1) chain.mine();
  const seen: string[] = [];
  let computed: (() => void) | undefined;
  const program = noting((block) => {
    seen.push(`computed ${block}`);
    computed?.();
  });
  const writer = sinkOf(async ({ from }) => {
    seen.push(`writing ${from}`);
    if (from < 4)
      await new Promise<void>((resolve) => {
        computed = resolve;
      });
    seen.push(`written ${from}`);
  });
  await runSink(sink, writer, program, () => playedSource(chain), options);
  expect(seen).toEqual([
    "computed 0",
    ...[0, 1, 2, 3].flatMap((block) => [`writing ${block}`, `computed ${block + 1}`, `written ${block}`]),
    "writing 4",
    "written 4",
  ]);
});

it("the runner ends when a write fails while its source waits for blocks", async () => {
  const chain = new PlayedChain(() => 0.9);
  chain.mine();
  const waiting: Source = {
    async *batches(position) {
      yield* playedSource(chain).batches(position);
      await new Promise(() => undefined);
    },
  };
  const writer = sinkOf(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    throw new SinkError("the disk is full", true);
  });
  const program = noting(() => undefined);
  await expect(runSink(sink, writer, program, () => waiting, options)).rejects.toThrow("the disk is full");
});

it("the runner requests as many stored rows at once as memory allows", async () => {
  const asked: unknown[] = [];
  const source: Source = {
    async *batches(_, { stored } = {}) {
      asked.push(stored);
      yield* [];
    },
  };
  const writer: Sink = {
    ...sinkOf(async () => undefined),
    storedWriting: { limits: { rows: 250_000, blocks: 10_000 }, write: async () => true },
  };
  const applyStored = (): Promise<never> => Promise.reject(new Error("there are no rows"));
  for (const mostStored of [64_000, 1_000_000, undefined])
    await runSink(
      sink,
      writer,
      { ...noting(() => undefined), applyStored, mostStored },
      () => source,
      options,
    );
  expect(asked).toEqual([64_000, 250_000, 250_000].map((rows) => ({ rows, blocks: 10_000 })));
});
