import { expect, it } from "vitest";
import type { LedgerEntry } from "../../../src/pipelines/changes/ledger.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import type { Program } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import type { SinkBatch, WrittenPosition } from "../../../src/pipelines/state/sink-batch.js";
import { PlayedChain, playedColumns, playedSource } from "../../support/pipelines/played-source.js";

const schema = { columns: playedColumns, key: ["id"] };
const definition = { type: "print", settings: {} };
const sink = { name: "out", definition, from: "played", schema } as unknown as PlannedSink;
const sources = [{ name: "played", schema }] as unknown as Program["sources"];

/** Answers differently each time, as a handler may. */
function changingProgram(): Program {
  let round = 0;
  return {
    sources,
    apply: async (_, { minus, plus }) => {
      round += 1;
      const columns = plus.columns.map((values, index) =>
        index === 0 ? values.map((value) => `${round} ${String(value)}`) : values,
      );
      return { minus, plus: { count: plus.count, columns } };
    },
    close: async () => undefined,
  };
}

it("INV-P6: a sink deletes the rows that a block was written as, even if its rows would be different now, also after a restart", async () => {
  const chain = new PlayedChain(() => 0.9);
  const held = new Map<unknown, unknown>();
  const entries: LedgerEntry[] = [];
  let kept: WrittenPosition | undefined;
  const opened = (): Sink => ({
    positions: new Map(kept ? [["played", kept]] : []),
    write: async ({ changes: { operations, rows }, position, from, ledger }: SinkBatch) => {
      for (const [row, operation] of operations.entries()) {
        const id = rows.columns[0]?.[row];
        if (operation === "d") expect(held.delete(id)).toBe(true);
        else held.set(id, rows.columns[1]?.[row]);
      }
      while ((entries.at(-1)?.from ?? -1) >= from) entries.pop();
      if (ledger) entries.push(ledger);
      kept = position;
    },
    close: async () => undefined,
  });
  const program = changingProgram();
  const drain = (): Promise<unknown> =>
    runSink(sink, opened(), program, () => playedSource(chain), {
      signal: new AbortController().signal,
      onProgress: () => undefined,
    });
  for (let count = 0; count < 10; count += 1) chain.mine();
  await drain();
  expect(held.size).toBe(40);
  chain.reorganise(4);
  await drain();
  expect(held.size).toBe(44);
  expect(entries.map(({ from, rows }) => [from, rows])).toEqual(
    Array.from({ length: 11 }, (_, block) => [block, 4]),
  );
});
