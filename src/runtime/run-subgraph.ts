import type { RootException } from "../chains/chain.js";
import { chainOfId } from "../chains/look-up-chain.js";
import type { BuiltSubgraph } from "../subgraph/runnable/built-subgraph.js";
import type { Block, Chain } from "./chain/chain.js";
import { createPatience } from "./chain/rpc/patience.js";
import { createPatientChain } from "./chain/rpc/patient-chain.js";
import { createRunner } from "./create-runner.js";
import type { EnsNames } from "./ens/ens-names.js";
import type { Files } from "./files/files.js";
import type { BlockOutcome } from "./indexer/block-runner.js";
import { Composition } from "./indexer/composition/composition.js";
import type { SourceSubgraph } from "./indexer/composition/source-subgraph.js";
import type { HandlerFailure } from "./indexer/failure.js";
import type { HandlerListener, Turn } from "./indexer/handler-runner.js";
import { History } from "./indexer/history/history.js";
import type { HistorySource } from "./indexer/history/history-source.js";
import { Indexer, type Progress } from "./indexer/indexer.js";
import { Verification, type VerificationNotes, type VerifyMode } from "./indexer/logs/verification.js";
import { ReadAhead } from "./indexer/read-ahead/read-ahead.js";
import type { RunArchive } from "./indexer/run-archive.js";
import { BlockCalls } from "./indexer/triggers/block-calls.js";
import { triggersFor } from "./indexer/triggers/triggers-for.js";
import type { Store } from "./store/store.js";

export interface RunOptions extends VerificationNotes {
  /**
   * How lists of logs are proved: `off`; `bloom` (the default), by the bloom filters of headers and by receipts where a
   * doubt remains; `receipts`, by the receipts root of every block whose bloom filter admits logs of the subgraph.
   */
  readonly verify?: VerifyMode | undefined;
  /** The chain's id, in decimal digits. It determines what its receipts roots do not cover. */
  readonly chainId?: string | undefined;
  /** First block, also for sources that start later. Default: the first start block of the manifest. */
  readonly from?: number | undefined;
  /** Last block. Default: the chain head. */
  readonly to?: number | undefined;
  /** Keeps the chain data that the run reads. `node` must be a chain that reads from the same archive. */
  readonly archive?: RunArchive | undefined;
  /** Serves final ranges in place of the node. What it returns is checked against the node. */
  readonly history?: HistorySource | undefined;
  /** Waits for new blocks. When set, the run follows the chain head. Resolving to false ends the run. */
  readonly waitForBlocks?: (() => Promise<boolean>) | undefined;
  /**
   * Waits for a number of milliseconds, for the given reason, before the runtime retries after inconsistent answers of
   * a node. Such answers happen behind a load balancer and during a reorg. Without it, retries are immediate and the
   * waits are only counted.
   */
  readonly pause?: ((milliseconds: number, why: string) => Promise<void>) | undefined;
  /** Limit of consecutive waits in total, in milliseconds. Default: 10 minutes. */
  readonly patience?: number | undefined;
  /** The jitter of waits: at least 0 and less than 1. Default: always 0.5. */
  readonly random?: (() => number) | undefined;
  /**
   * The time in milliseconds since any fixed moment. With it, the runtime looks for missing files by the clock as well,
   * not only after a number of blocks.
   */
  readonly now?: (() => number) | undefined;
  /**
   * Called after every block to process what has arrived from the node and the database. Without it, this data waits
   * until a handler has to wait as well, so that less happens concurrently.
   */
  readonly breathe?: (() => Promise<void>) | undefined;
  /**
   * Checks that the node serves the chain that the store was filled from. Called before indexing and before reverting
   * blocks. An error that it throws ends the run.
   */
  readonly checkChain?: (() => Promise<void>) | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Called before every run of a handler, including runs that only find out what it reads. */
  readonly onHandler?: HandlerListener | undefined;
  /** Where handlers share processors with those of other threads. By default, they do not wait. */
  readonly turn?: Turn | undefined;
  /** Called after every block that was run, before its writes are committed. */
  readonly onBlock?: ((block: Block, outcome: BlockOutcome) => void) | undefined;
  /** Opens another subgraph that is a source, by its deployment. Without it, a composed subgraph cannot run. */
  readonly openSource?: ((deployment: string) => SourceSubgraph) | undefined;
  /** The source of the files that mappings read. */
  readonly files?: Files | undefined;
  /** The source of the ENS names that mappings look up. Without it, or if it has no names, look-ups fail. */
  readonly names?: EnsNames | undefined;
  /**
   * Milliseconds that the last block of a run waits for missing files of data sources. Default: 1 minute. A run that
   * follows the chain head keeps looking for them, but does not wait.
   */
  readonly filePatience?: number | undefined;
  /** Ends the run after the current block. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether failures (with the feature nonFatalErrors) are tolerated only after a block near the chain head was
   * written, as in graph-node; an earlier failure then ends the run. By default they are tolerated everywhere.
   */
  readonly bearsOnlyNearHead?: boolean | undefined;
  /**
   * Whether an empty store begins with the block before the first one, as in graph-node. Then it can be queried even if
   * the first block fails. By default it begins with the first block.
   */
  readonly beginsBefore?: boolean | undefined;
}

export interface RunOutcome {
  readonly progress: Progress;
  /** The failed handler that ended the run. Nothing of its block was written. */
  readonly failure?: HandlerFailure;
  /** Whether the run ended after a block with failures that are tolerated only near the chain head. */
  readonly isHalted?: true;
  /**
   * The failed handlers of blocks that were written without their changes, in order: the first 1,000. Empty unless the
   * subgraph has the feature nonFatalErrors.
   */
  readonly errors: readonly HandlerFailure[];
  /** Paths of the files that were not found. A later run looks for them again. */
  readonly missingFiles: readonly string[];
  /** The number of logs that the node's answers lacked and that were found elsewhere. */
  readonly leftOut: number;
}

/**
 * Indexes a chain with a built subgraph, from the store's head to the chain head.
 * @throws ChainError when the node stays unreachable or inconsistent beyond the limit of `patience`; all blocks before
 * that are complete. BlockError when the changes of a block cannot be written. DeterministicError when the manifest,
 * its ABIs and its WASM are inconsistent.
 */
export async function run(
  built: BuiltSubgraph,
  node: Chain,
  store: Store,
  options: RunOptions = {},
): Promise<RunOutcome> {
  const { from } = options;
  const patience = createPatience(options);
  const verification = new Verification(options.verify, options, exceptionOf(options));
  const history =
    options.history &&
    new History(options.history, node, patience, {
      hasArchive: options.archive !== undefined,
      random: options.random ?? (() => 0.5),
    });
  const chain = createPatientChain(history?.chain ?? node, patience);
  const readAhead = store.expect && new ReadAhead(({ type, id }) => store.expect?.(type, id));
  const { sources, runner } = createRunner(built, {
    chain,
    store,
    readAhead,
    from,
    firstBlock: await firstBlock(store, from),
    callsOf: (block) => new BlockCalls(chain, block),
    triggersFor: (created, block) => triggersFor(chain, created, block, verification),
    finder: {
      files: options.files,
      patience: options.filePatience ?? defaultFilePatience,
      pause: options.pause ?? (async () => undefined),
      chance: options.random ?? (() => 0.5),
      now: options.now ?? (() => Number.NEGATIVE_INFINITY),
      signal: options.signal,
    },
    names: options.names,
    onHandler: options.onHandler,
    turn: options.turn,
  });
  const indexer = new Indexer({
    chain,
    patience,
    store,
    sources,
    runner,
    composition: Composition.of(sources, options.openSource),
    verification,
    archive: options.archive,
    history,
    readAhead,
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
    beginsBefore: options.beginsBefore ?? false,
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

/** The first block of the run that filled a store; 0 when it is unknown. */
async function firstBlock(store: Store, from = 0): Promise<number> {
  const head = await store.head();
  return head === undefined || from <= head.number ? from : 0;
}

const defaultFilePatience = 60_000;

function exceptionOf({ chainId }: RunOptions): RootException | undefined {
  return chainId === undefined ? undefined : chainOfId(chainId)?.rootException;
}
