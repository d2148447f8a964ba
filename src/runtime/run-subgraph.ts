import type { BuiltSubgraph } from "../subgraph/runnable/built-subgraph.js";
import { isAtLeast } from "../subgraph/runnable/versions.js";
import type { Block, Chain } from "./chain/chain.js";
import { Patience } from "./chain/patience.js";
import { createPatientChain } from "./chain/patient-chain.js";
import type { EnsNames } from "./ens/ens-names.js";
import type { Files } from "./files/files.js";
import { ActiveSources } from "./indexer/active-sources.js";
import { type BlockOutcome, BlockRunner } from "./indexer/block-runner.js";
import type { HandlerFailure } from "./indexer/failure.js";
import { FileFinder } from "./indexer/file-finder.js";
import type { HandlerListener } from "./indexer/handler-runner.js";
import { Indexer, type Progress } from "./indexer/indexer.js";
import { triggersFor } from "./indexer/triggers-for.js";
import { Verification, type VerificationNotes, type VerifyMode } from "./indexer/verification.js";
import type { Store } from "./store/store.js";
import { compileMapping } from "./wasm/compile-mapping.js";
import type { Mapping } from "./wasm/mapping.js";

/** Options of a run. */
export interface RunOptions extends VerificationNotes {
  /**
   * How lists of logs are proved: `off`, `bloom` (the default) by the bloom filters of headers and by receipts where these
   * leave a doubt, `receipts` by the receipts root of every block whose bloom filter admits logs of the subgraph.
   */
  readonly verify?: VerifyMode | undefined;
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
  /**
   * The time in milliseconds, from anywhere on. With it, files that are not there yet are looked for by the clock, too,
   * not only as blocks go by.
   */
  readonly now?: (() => number) | undefined;
  /**
   * Lets what arrived meanwhile from the node and from the database be taken in; called after every block. Without it
   * that waits until handlers have to wait, too, so that less happens at the same time.
   */
  readonly breathe?: (() => Promise<void>) | undefined;
  /**
   * Checks that the node is of the chain that the store was filled from: called before anything is indexed, and before
   * blocks are reverted. What it throws ends the run.
   */
  readonly checkChain?: (() => Promise<void>) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called whenever a handler is about to be run, which is also to find out what it reads. */
  readonly onHandler?: HandlerListener | undefined;
  /** Called after every block that was run, before its writes are committed. */
  readonly onBlock?: ((block: Block, outcome: BlockOutcome) => void) | undefined;
  /** Where the files of IPFS come from that mappings read. */
  readonly files?: Files | undefined;
  /** Where the names of ENS come from that mappings look up; without it, or without a name in it, looking one up fails. */
  readonly names?: EnsNames | undefined;
  /**
   * Milliseconds for which the last block of a run waits for files of data sources that are not there yet; 1 minute by
   * default. A run that follows the chain head looks for them again and again, and waits for none.
   */
  readonly filePatience?: number | undefined;
  /** Ends the run after the block that is under way. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether failures are borne (with the feature nonFatalErrors) only once a block near the chain's head was written, as on
   * a graph-node: after an earlier one the run ends. They are borne everywhere by default.
   */
  readonly bearsOnlyNearHead?: boolean | undefined;
}

/** The outcome of a run. */
export interface RunOutcome {
  readonly progress: Progress;
  /** The handler that failed and ended the run; nothing that its block does was written. */
  readonly failure?: HandlerFailure;
  /** Whether the run has ended after a block with failures that are borne only near the chain's head. */
  readonly isHalted?: true;
  /**
   * Handlers that failed in blocks that were written without what they did, in their order; the first 1,000. There are
   * none unless the subgraph has the feature nonFatalErrors.
   */
  readonly errors: readonly HandlerFailure[];
  /** Paths of the files whose data sources are still waiting for them; a later run looks for them again. */
  readonly missingFiles: readonly string[];
  /** How many logs were not in the node's answers and were found elsewhere. */
  readonly leftOut: number;
}

/**
 * Indexes a chain with a built subgraph, from the store's head to the chain head.
 * @throws ChainError when the node stays unreachable or inconsistent beyond the limit of `patience`, with all
 * blocks before that complete; BlockError when what a block has done cannot be written; DeterministicError when manifest,
 * ABIs and WASM are inconsistent
 */
export async function run(
  built: BuiltSubgraph,
  node: Chain,
  store: Store,
  options: RunOptions = {},
): Promise<RunOutcome> {
  const { from } = options;
  const patience = createPatience(options);
  const verification = new Verification(options.verify, options);
  const chain = createPatientChain(node, patience);
  const compiled = new Map<Uint8Array, Mapping>();
  const dataSources =
    from === undefined
      ? built.dataSources
      : built.dataSources.map((source) => ({ ...source, startBlock: Math.min(source.startBlock, from) }));
  const mappingOf = (wasm: Uint8Array): Mapping => {
    const mapping = compiled.get(wasm) ?? compileMapping(wasm);
    compiled.set(wasm, mapping);
    return mapping;
  };
  const sources = new ActiveSources({ ...built, dataSources }, mappingOf, await firstBlock(store, from));
  const runner = new BlockRunner({
    chain,
    files: options.files,
    names: options.names,
    finder: new FileFinder({
      files: options.files,
      patience: options.filePatience ?? defaultFilePatience,
      pause: options.pause ?? (async () => undefined),
      chance: options.random ?? (() => 0.5),
      now: options.now ?? (() => Number.NEGATIVE_INFINITY),
      signal: options.signal,
    }),
    store,
    schema: built.entities,
    network: built.network,
    sources,
    onHandler: options.onHandler,
    // graph-node refuses unknown fields from that version on.
    unknownFields: isAtLeast(built.apiVersion, "0.0.8") ? "refuse" : "drop",
    bearsFailures: built.features.has("nonFatalErrors"),
    triggersFor: (created, block) => triggersFor(chain, created, block, verification),
  });
  const indexer = new Indexer({
    chain,
    patience,
    store,
    sources,
    runner,
    verification,
    from: from ?? Math.min(...built.dataSources.map(({ startBlock }) => startBlock)),
    to: options.to,
    follow: options.waitForBlocks !== undefined,
    waitForBlocks: options.waitForBlocks ?? (async () => false),
    breathe: options.breathe ?? (async () => undefined),
    checkChain: options.checkChain ?? (async () => undefined),
    onProgress: options.onProgress ?? (() => undefined),
    onBlock: options.onBlock ?? (() => undefined),
    signal: options.signal,
    bearsOnlyNearHead: options.bearsOnlyNearHead ?? false,
  });
  const failure = await indexer.run();
  const missingFiles = [...new Set(sources.files.pending.map(({ path }) => path))];
  const { progress, errors, isHalted } = indexer;
  return {
    progress,
    errors,
    missingFiles,
    leftOut: verification.leftOut,
    ...(failure && { failure }),
    ...(isHalted && { isHalted }),
  };
}

/** The first block of the run that filled a store; nothing is known of one that began elsewhere. */
async function firstBlock(store: Store, from = 0): Promise<number> {
  const head = await store.head();
  return head === undefined || from <= head.number ? from : 0;
}

const defaultPatience = 600_000;
const defaultFilePatience = 60_000;

/** Makes a `Patience` from options. */
export function createPatience({
  pause = async () => undefined,
  patience = defaultPatience,
  random = () => 0.5,
  signal,
}: Pick<RunOptions, "pause" | "patience" | "random" | "signal">): Patience {
  return new Patience({ limit: patience, pause, chance: random, signal });
}
