import {
  type BlockOutcome,
  type BuiltSubgraph,
  createMemoryStore,
  run,
  type Store,
} from "../../../src/exports/index.js";
import type { PlayedBlock } from "./played-blocks.js";
import { playedChain, type ReadBatch } from "./played-chain.js";
import type { PlayedFunctions } from "./played-contracts.js";

/** The outcome of running all blocks. */
export interface PlayOutcome {
  readonly store: Store;
  /** How many handlers ran. */
  readonly handlers: number;
  /** For each block. */
  readonly outcomes: readonly BlockOutcome[];
  /** The contract calls that the runtime made, declared calls included, in order. */
  readonly reads: readonly ReadBatch[];
}

/**
 * Runs a built subgraph on all blocks of a made-up chain, with an empty store.
 * @throws the error that a handler failed with
 */
export async function playBlocks(
  built: BuiltSubgraph,
  blocks: readonly PlayedBlock[],
  functions: PlayedFunctions,
): Promise<PlayOutcome> {
  const store = createMemoryStore(built);
  const outcomes: BlockOutcome[] = [];
  const reads: ReadBatch[] = [];
  const chain = playedChain(blocks, functions, (batch) => reads.push(batch));
  const { progress, failure } = await run(built, chain, store, {
    from: blocks[0]?.block.number,
    onBlock: (_, outcome) => outcomes.push(outcome),
  });
  if (failure) throw failure.error;
  return { store, handlers: progress.handlers, outcomes, reads };
}
