import { runSink } from "../../../src/pipelines/runner/run-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { directProgram } from "./played-rounds.js";
import { finalSource, type PlayedChain } from "./played-source.js";

/** Writes the rows of the final blocks of a chain into a sink that cannot delete. */
export async function writeFinal(chain: PlayedChain, sink: Sink): Promise<void> {
  const { planned, program, options } = directProgram();
  await runSink(planned, sink, program, () => finalSource(chain), options);
}
