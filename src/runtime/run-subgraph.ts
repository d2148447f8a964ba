import type { BuiltSubgraph } from "../subgraph/runnable/built-subgraph.js";
import { isAtLeast } from "../subgraph/runnable/versions.js";
import type { Block, Chain } from "./chain/chain.js";
import { Patience } from "./chain/patience.js";
import { createPatientChain } from "./chain/patient-chain.js";
import { ActiveSources } from "./indexer/active-sources.js";
import { type BlockOutcome, BlockRunner } from "./indexer/block-runner.js";
import type { HandlerFailure } from "./indexer/failure.js";
import { Indexer, type Progress } from "./indexer/indexer.js";
import { triggersFor } from "./indexer/triggers-for.js";
import type { Store } from "./store/store.js";
import { compileMapping } from "./wasm/compile-mapping.js";

/** Options of a run. */
export interface RunOptions {
  /** First block, also for sources that start later; by default the first start block of the manifest. */
  readonly from?: number | undefined;
  /** Last block; by default the chain head. */
  readonly to?: number | undefined;
  /** Waits for new blocks; when given, the run follows the chain head. Resolving to false ends the run. */
  readonly waitForBlocks?: (() => Promise<boolean>) | undefined;
  /**
   * Waits for a number of milliseconds before inconsistent answers of a node are retried, as happens behind a
   * load balancer and during a reorg; gets the reason. Without it, retries are immediate and the waits are
   * only counted.
   */
  readonly pause?: ((milliseconds: number, why: string) => Promise<void>) | undefined;
  /** Limit of such waits in a row, in milliseconds; 10 minutes by default. */
  readonly patience?: number | undefined;
  /** At least 0, less than 1: the jitter of waits. Always 0.5 by default. */
  readonly random?: (() => number) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called after every block that was run, before its writes are committed. */
  readonly onBlock?: ((block: Block, outcome: BlockOutcome) => void) | undefined;
  /** Ends the run after the current block. */
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of a run. */
export interface RunOutcome {
  readonly progress: Progress;
  /** The handler that failed and ended the run; its block was not written. */
  readonly failure?: HandlerFailure;
}

/**
 * Indexes a chain with a built subgraph, from the store's head to the chain head.
 * @throws ChainError when the node stays unreachable or inconsistent beyond the limit of `patience`, with all
 * blocks before that complete; DeterministicError when manifest, ABIs and WASM are inconsistent
 */
export async function run(
  built: BuiltSubgraph,
  node: Chain,
  store: Store,
  options: RunOptions = {},
): Promise<RunOutcome> {
  const { from } = options;
  const patience = createPatience(options);
  const chain = createPatientChain(node, patience);
  const compiled = new Map<Uint8Array, ReturnType<typeof compileMapping>>();
  const dataSources =
    from === undefined
      ? built.dataSources
      : built.dataSources.map((source) => ({ ...source, startBlock: Math.min(source.startBlock, from) }));
  const sources = new ActiveSources({ ...built, dataSources }, (wasm) => {
    const mapping = compiled.get(wasm) ?? compileMapping(wasm);
    compiled.set(wasm, mapping);
    return mapping;
  });
  const runner = new BlockRunner({
    chain,
    store,
    schema: built.entities,
    network: built.network,
    sources,
    // graph-node refuses unknown fields from that version on.
    unknownFields: isAtLeast(built.apiVersion, "0.0.8") ? "refuse" : "drop",
    triggersFor: (created, block) => triggersFor(chain, created, block),
  });
  const indexer = new Indexer({
    chain,
    patience,
    store,
    sources,
    runner,
    from: from ?? Math.min(...built.dataSources.map(({ startBlock }) => startBlock)),
    to: options.to,
    follow: options.waitForBlocks !== undefined,
    waitForBlocks: options.waitForBlocks ?? (async () => false),
    onProgress: options.onProgress ?? (() => undefined),
    onBlock: options.onBlock ?? (() => undefined),
    signal: options.signal,
  });
  const failure = await indexer.run();
  return { progress: indexer.progress, ...(failure && { failure }) };
}

const defaultPatience = 600_000;

/** Makes a `Patience` from options. */
export function createPatience({
  pause = async () => undefined,
  patience = defaultPatience,
  random = () => 0.5,
  signal,
}: Pick<RunOptions, "pause" | "patience" | "random" | "signal">): Patience {
  return new Patience({ limit: patience, pause, chance: random, signal });
}
