import { expect, it } from "vitest";
import { stateText } from "../../../src/cli/pipeline/pipeline-display.js";
import { noRows } from "../../../src/pipelines/changes/rows.js";
import type { SourceWatch } from "../../../src/pipelines/runner/head-watch.js";
import { type PipelineWorld, runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import type { SinkState } from "../../../src/pipelines/runner/sink-state.js";
import type { SourceBatch } from "../../../src/pipelines/sources/source.js";
import { SourceError } from "../../../src/pipelines/sources/source-error.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";

const start = Date.UTC(2026, 0, 1, 12);

function block(number: number): SourceBatch {
  const nothing = noRows(30);
  return {
    from: number,
    to: number,
    isUndone: false,
    delta: { minus: nothing, plus: nothing },
    position: { next: number + 1, open: [] },
  };
}

/** A time that is over at once. */
function soon(): AbortSignal {
  const over = new AbortController();
  setImmediate(() => over.abort());
  return over.signal;
}

/** Runs a source into a sink, and tells what became of it. @param play what the source does */
async function statesOf(
  play: (watch: SourceWatch, pass: (seconds: number) => Promise<void>) => AsyncGenerator<SourceBatch>,
  settings = "",
  onBatch: PipelineWorld["onBatch"] = undefined,
): Promise<readonly string[]> {
  const plan = await soundPipeline(`
name: watched
sources:
  logs: { type: dataset, dataset_name: ethereum.raw_logs, start_at: earliest }
sinks:
  out: { type: blackhole, from: logs${settings} }`);
  let now = start;
  const pass = async (seconds: number): Promise<void> => {
    // The sink writes meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
    now += seconds * 1_000;
  };
  const world = {
    openSource: (_source, _finalOnly, _sink, watch) => ({ batches: () => play(watch, pass) }),
    clock: { now: () => now, random: () => 0, timeout: soon },
    onBatch,
  } satisfies Partial<PipelineWorld>;
  const states: SinkState[] = [];
  await runSinks(
    plan,
    world as unknown as PipelineWorld,
    (_, state) => states.push(state),
    new AbortController().signal,
  );
  return states.map((state) => stateText("out", state));
}

it("the runner reports that a sink has caught up, and that the source's chain has stopped", async () => {
  const states = await statesOf(async function* (watch, pass) {
    yield block(7);
    await pass(1);
    watch.onHead(7);
    await pass(59);
    watch.onHead(7);
    await pass(1);
    watch.onHead(7);
    watch.onHead(7);
    watch.onHead(8);
    yield block(8);
  });
  expect(states).toEqual([
    "out: 0 rows, block 7",
    "out: 0 rows, block 7, waiting for new blocks since 12:00:01 UTC",
    "out: 0 rows, block 7, chain of logs without a new block after 7 since 12:00:01 UTC",
    "out: 0 rows, block 7, waiting for new blocks since 12:00:01 UTC",
    "out: 0 rows, block 8",
    "out: 0 rows, block 8",
  ]);
});

it("INV-P10: the runner reports since when a sink has stalled, until it continues", async () => {
  let attempts = 0;
  const states = await statesOf(async function* (_watch, pass) {
    attempts += 1;
    await pass(5);
    if (attempts < 3) throw new SourceError("The feed is away", true);
    yield block(1);
  });
  expect(states).toEqual([
    expect.stringMatching(/^out: stalled since 12:00:05 UTC, next attempt in \d\.\d s: The feed is away$/),
    expect.stringMatching(/^out: stalled since 12:00:05 UTC, next attempt in \d\.\d s: The feed is away$/),
    "out: 0 rows, block 1",
    "out: 0 rows, block 1",
  ]);
});

it.each([
  { retry: "none", isTemporary: true, kinds: ["halted"] },
  { retry: "passing", isTemporary: true, kinds: ["stalled", "ended"] },
  { retry: "passing", isTemporary: false, kinds: ["halted"] },
  { retry: "all", isTemporary: false, kinds: ["stalled", "ended"] },
])("the runner tries a sink again after the failures that retry names: %j", async (given) => {
  let attempts = 0;
  const states = await statesOf(async function* () {
    attempts += 1;
    if (attempts === 1) throw new SourceError("The feed is away", given.isTemporary);
    yield block(1);
  }, `, retry: ${given.retry}`);
  const kindOf = (state: string): string => /stalled|halted/.exec(state)?.[0] ?? "ended";
  expect([...new Set(states.map(kindOf))]).toEqual(given.kinds);
});

it("the runner gives a sink up that has failed for longer than it may", async () => {
  let attempts = 0;
  const states = await statesOf(async function* (_watch, pass) {
    attempts += 1;
    await pass(20);
    if (attempts < 10) throw new SourceError("The feed is away", true);
    yield block(1);
  }, ", retry_for: 30s");
  expect(attempts).toBe(3);
  expect(states.at(-1)).toBe("out: halted");
});

it("the runner tries a sink again as soon as a neighbor has recovered", async () => {
  const plan = await soundPipeline(`
name: neighbors
sources:
  logs: { type: dataset, dataset_name: ethereum.raw_logs, start_at: earliest }
sinks:
  one: { type: blackhole, from: logs }
  other: { type: blackhole, from: logs }`);
  const attempts = { one: 0, other: 0 };
  let isPausing = (): void => undefined;
  const pausing = new Promise<void>((resolve) => {
    isPausing = resolve;
  });
  const world = {
    openSource: (_source, _finalOnly, { name }) => ({
      async *batches() {
        const attempt = ++attempts[name as keyof typeof attempts];
        if (name === "one" && attempt === 2) await pausing;
        if (attempt <= (name === "one" ? 1 : 2)) throw new SourceError("the node is away", true);
        yield block(1);
      },
    }),
    // The first pause is over at once, and a longer one never ends.
    clock: {
      now: () => start,
      random: () => 0,
      timeout: (time) => {
        if (time < 1_000) return soon();
        isPausing();
        return new AbortController().signal;
      },
    },
  } satisfies Partial<PipelineWorld>;
  const ends = await runSinks(
    plan,
    world as unknown as PipelineWorld,
    () => undefined,
    new AbortController().signal,
  );
  expect([...ends].map(([name, { kind }]) => `${name} ${kind}`)).toEqual(["one ended", "other ended"]);
  expect(attempts).toEqual({ one: 2, other: 3 });
});

it("each batch that a sink has written is reported with its rows and its start", async () => {
  const batches: (readonly [sink: string, rows: number, began: number])[] = [];
  const play = async function* (_: SourceWatch, pass: (seconds: number) => Promise<void>) {
    yield block(0);
    await pass(1);
    yield block(1);
  };
  await statesOf(play, "", (...batch) => batches.push(batch));
  expect(batches.map(([sink, rows]) => [sink, rows])).toEqual([
    ["out", 0],
    ["out", 0],
  ]);
  expect(batches.every(([, , began]) => began >= start && began <= start + 1_000)).toBe(true);
});
