import type { PlannedSink, PlannedSource } from "../../../src/pipelines/plan/pipeline-plan.js";
import type { Program } from "../../../src/pipelines/runner/program.js";
import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { PlayedChain, playedColumns, playedSource } from "./played-source.js";
import { randomOf } from "./random.js";

/** A chain after some rounds of blocks and reorganisations, the same in each process. */
export function playedRounds(rounds: number): PlayedChain {
  const chain = new PlayedChain(randomOf(1));
  for (let round = 0; round < rounds; round += 1) {
    for (let count = 0; count < 25; count += 1) chain.mine();
    chain.reorganise(10 + 5 * (round % 5));
  }
  return chain;
}

/** The columns and the key of what `writeRounds` writes. */
export const playedSchema = { columns: playedColumns, key: ["id"] };

/** What `runSink` takes to write rows of a source as they are. */
export function directProgram(): {
  readonly planned: PlannedSink;
  readonly program: Program;
  readonly options: Parameters<typeof runSink>[4];
} {
  const definition = { type: "print", settings: {} };
  const planned: unknown = { name: "s", definition, from: "played", schema: playedSchema };
  const source: unknown = { name: "played" };
  return {
    planned: planned as PlannedSink,
    program: {
      sources: [source as PlannedSource],
      apply: async (_, delta) => delta,
      close: async () => undefined,
    },
    options: { signal: new AbortController().signal, onProgress: () => undefined },
  };
}

/** Writes the rows of a chain into a sink until it has all of them. */
export async function writeRounds(rounds: number, sink: Sink): Promise<void> {
  const chain = playedRounds(rounds);
  const { planned, program, options } = directProgram();
  await runSink(planned, sink, program, () => playedSource(chain), options);
}
