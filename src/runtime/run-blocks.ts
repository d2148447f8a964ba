import type { BuiltSubgraph } from "../subgraph/runnable/built-subgraph.js";
import type { Block, BlockPointer, Log, Receipt } from "./chain/chain.js";
import { createRunner } from "./create-runner.js";
import { BlockError, RetriedError } from "./errors.js";
import type { Files } from "./files/files.js";
import type { HandlerFailure } from "./indexer/failure.js";
import type { HandlerListener } from "./indexer/handler-runner.js";
import type { LogLine } from "./indexer/handler-world.js";
import type { BlockReads } from "./indexer/triggers/block-calls.js";
import type { Store } from "./store/store.js";

/** A block that is given together with its logs instead of being read from a chain. */
export interface GivenBlock {
  readonly block: Block;
  /** In order. */
  readonly logs: readonly Log[];
}

/** The parameters of a run over given blocks. */
export interface GivenBlocks {
  readonly blocks: readonly GivenBlock[];
  /** The block before the first one. It counts as written, so that the store can be queried. */
  readonly before?: BlockPointer | undefined;
  readonly files: Files;
  /** The contract reads of a block. */
  callsOf(block: BlockPointer): BlockReads;
  /** The receipt of a transaction of a block. */
  receiptOf(block: BlockPointer, transaction: string): Receipt | undefined;
  /** Called before every run of a handler. */
  readonly onHandler?: HandlerListener | undefined;
  /** Called after every block, with the lines that its handlers logged. */
  readonly onLines?: ((lines: readonly LogLine[]) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of running given blocks. */
export interface GivenOutcome {
  /** Why the run ended early. Nothing of the failed block was written. */
  readonly failure?: HandlerFailure | BlockError;
  /** The paths of the files that were not found. */
  readonly missingFiles: readonly string[];
}

/**
 * Runs the handlers of a built subgraph for given blocks, in order. Their numbers may have gaps of any size. Calls
 * and traces do not exist.
 * @param store empty
 * @throws DeterministicError when the manifest, its ABIs and its WASM are inconsistent
 */
export async function runBlocks(
  built: BuiltSubgraph,
  { blocks, before, files, callsOf, receiptOf, onHandler, onLines, signal }: GivenBlocks,
  store: Store,
): Promise<GivenOutcome> {
  let running: GivenBlock | undefined;
  const receipt = async (transaction: string): Promise<Receipt | undefined> =>
    running && receiptOf(running.block, transaction);
  const { sources, runner } = createRunner(built, {
    chain: { receipt },
    store,
    callsOf,
    onHandler,
    firstBlock: 0,
    triggersFor: async () => ({ logs: running?.logs ?? [], calls: [] }),
    finder: { files, patience: 0, pause: async () => undefined, chance: () => 0.5, now: () => 0, signal },
  });
  if (before) await store.commit(before, { changes: [], dataSources: [] });
  let failure: GivenOutcome["failure"];
  for (const [index, given] of blocks.entries()) {
    if (failure || signal?.aborted) break;
    running = given;
    failure = await runBlock(given, index === blocks.length - 1);
  }
  await store.flush?.();
  const missingFiles = [...new Set(sources.files.pending.map(({ path }) => path))];
  return { missingFiles, ...(failure && { failure }) };

  async function runBlock({ block, logs }: GivenBlock, isLast: boolean): Promise<GivenOutcome["failure"]> {
    const { number, hash, parentHash, timestamp } = block;
    try {
      const outcome = await runner.run(block, { logs, calls: [] }, isLast);
      onLines?.(outcome.lines);
      if (outcome.failure) return outcome.failure;
      const { writes, errors } = outcome;
      const all = { ...writes, ...(errors.length > 0 && { errors }) };
      await store.commit({ number, hash, parentHash, timestamp }, all, { isNearHead: true });
      return undefined;
    } catch (error) {
      if (error instanceof RetriedError) return new BlockError(block, error);
      throw error;
    }
  }
}
