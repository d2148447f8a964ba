import { runSink } from "../../../src/flows/runner/run-sink.js";
import type { Sink } from "../../../src/flows/sinks/sink.js";
import type { Source } from "../../../src/flows/sources/source.js";
import { directProgram } from "./played-rounds.js";
import type { PlayedChain } from "./played-source.js";

/** Blocks of a chain that are never replaced. */
export function finalBlocks(chain: PlayedChain): PlayedChain["blocks"] {
  return chain.blocks.slice(0, Math.max(0, chain.blocks.length - chain.finality));
}

/** Writes the rows of the final blocks of a chain into a sink that cannot delete. */
export async function writeFinal(chain: PlayedChain, sink: Sink): Promise<void> {
  const source: Source = {
    async *batches(position) {
      const blocks = finalBlocks(chain);
      for (const { number, rows } of blocks.slice(position?.next ?? 0))
        yield {
          ...{ from: number, to: number, isUndone: false },
          delta: { minus: { count: 0, columns: rows.columns.map(() => []) }, plus: rows },
          position: { next: number + 1, open: [] },
        };
    },
  };
  const { planned, program, options } = directProgram();
  await runSink(planned, sink, program, () => source, options);
}
