import { visible } from "../../base/text/visible.js";
import { askIdentity } from "../../datasets/archive/identity.js";
import type { PlacedArchiveFiles } from "../../machine/files/archive-files.js";
import { openFiles } from "../../machine/open-files.js";
import { breathe, createNodeWorld, pause } from "../../machine/world.js";
import { ChainError, ReorgError } from "../../runtime/chain/chain.js";
import { ChainGuard, type ChainMemory } from "../../runtime/chain/chain-guard.js";
import { createPatience } from "../../runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../runtime/chain/rpc/patient-chain.js";
import type { EnsNames } from "../../runtime/ens/ens-names.js";
import type { Gateways } from "../../runtime/files/gateway-files.js";
import type { HandlerFailure } from "../../runtime/indexer/failure.js";
import type { LogLine } from "../../runtime/indexer/handler-world.js";
import type { HistorySource } from "../../runtime/indexer/history/history-source.js";
import type { Progress } from "../../runtime/indexer/indexer.js";
import { leftOutText, type VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { type RunOptions, run } from "../../runtime/run-subgraph.js";
import { createSource, type SourcePlace } from "../../runtime/sources/create-source.js";
import type { Store } from "../../runtime/store/store.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import type { RequestCounts } from "../reader/count-requests.js";
import { openReader, unwritten } from "../reader/open-reader.js";
import { count } from "../terminal/count.js";
import type { ProgressDisplay } from "./progress-display.js";

export interface ChainToRun {
  readonly chain: string;
  /** The node's address; `undefined` when offline. */
  readonly url: string | undefined;
  /** A service that serves final blocks; absent for none. */
  readonly source?: SourcePlace | undefined;
  readonly built: BuiltSubgraph;
  /** The first block to index. */
  readonly first: number;
  /** Receives the entities. */
  readonly store: Store;
  /** Knows which chain the store was filled from; absent if that is unknown. */
  readonly memory?: ChainMemory | undefined;
  /** The bytes of the store's tables and indexes; absent if it is in memory. */
  readonly bytes?: (() => Promise<number>) | undefined;
  /** Opens a subgraph that is a source; absent if there is no database. */
  readonly openSource?: RunOptions["openSource"];
}

/** The range of blocks to run. */
export interface WantedBlocks {
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Number of blocks from the first one. */
  readonly blocks: number | undefined;
  /** Whether to follow the chain head. */
  readonly watch: boolean;
}

/** The outcome of running a chain. */
export type ChainOutcome =
  | {
      readonly kind: "run";
      readonly first: number;
      readonly progress: Progress;
      /** Number of logs that were missing from the node's answers and were found by other means. */
      readonly leftOut: number;
      readonly failure?: HandlerFailure;
      /** Paths of the files that data sources still wait for; absent if the run was cut short. */
      readonly missingFiles?: readonly string[];
      /** Milliseconds until the first block was requested; absent if the run was interrupted. */
      readonly startup?: number;
      /** The requests to the node; absent if the run was cut short, or without a node. */
      readonly requests?: RequestCounts;
      /** The node's failure that ended the run before its last block. */
      readonly unreachable?: ChainError | ReorgError;
    }
  /** The chain head is before the first block to index. */
  | { readonly kind: "too-short"; readonly first: number; readonly head: number };

/** The dependencies of running a chain. */
export interface RunEnvironment {
  /** Milliseconds of retries while a node is unreachable or inconsistent. */
  readonly patience: number;
  /** The gateways for handlers that read files. */
  readonly gateways: Gateways;
  /** ENS names, for handlers that look them up. */
  readonly names: EnsNames | undefined;
  /** The archive's files; `undefined` for none. */
  readonly archive: PlacedArchiveFiles | undefined;
  /** How lists of logs are verified. */
  readonly verify: VerifyMode;
  readonly display: ProgressDisplay;
  /** Whether log lines are prefixed with the chain's name. */
  readonly namesChains: boolean;
  /** Ends the run. */
  readonly signal: AbortSignal;
  /** Whether to measure the node's answers. */
  readonly measures?: boolean;
  /** Whether the run is a sample, which only shows notices. */
  readonly isSample?: boolean;
}

/** Milliseconds between two polls of a chain head. */
const pollInterval = 1_000;

/**
 * Runs one chain to the end of the range, until a handler fails, the signal is aborted, or the node stays
 * unreachable or inconsistent for too long. The store holds all blocks before that.
 */
export async function indexChain(
  { chain, url, source, built, first, store, memory, openSource }: ChainToRun,
  range: WantedBlocks,
  {
    patience,
    gateways,
    names,
    archive,
    verify,
    display,
    namesChains,
    signal,
    measures = false,
    isSample = false,
  }: RunEnvironment,
): Promise<ChainOutcome> {
  const last = range.to ?? (range.blocks === undefined ? undefined : first + range.blocks - 1);
  const prefix = namesChains ? `${visible(chain)}: ` : "";
  let progress: Progress = { ...nothing, block: (await store.head())?.number ?? first - 1 };
  let leftOut = 0;
  let isRefused = false;
  const since = performance.now();
  let startup: number | undefined;
  let history: HistorySource | undefined;
  try {
    const onRetry = (why: string, wait: number): void =>
      display.wait(chain, `retrying in ${(wait / 1000).toFixed(1)} s: ${why}`);
    const say = (text: string): void => display.print(`${visible(chain)}: ${visible(text)}\n`);
    const place = { network: built.network, url, archive };
    const reader = await openReader(
      place,
      last,
      { patience, signal, onRetry },
      {
        onDamage: (why) => say(`part of the archive is not used: ${why}`),
        onTrouble: (why, place) => say(unwritten(why, place)),
        onRefused: (why) => {
          if (!isRefused) say(`nothing is added to the archive: ${why}`);
          isRefused = true;
        },
      },
      measures,
    );
    const { chain: node, archived, to } = reader;
    const guard = new ChainGuard(reader.identity, built.network, memory);
    const waiting = {
      patience,
      signal,
      random: Math.random,
      now: () => performance.now(),
      pause: (wait: number, why: string) => {
        onRetry(why, wait);
        return pause(wait, signal);
      },
    };
    const { number: head } = await createPatientChain(node, createPatience(waiting)).head();
    if (head < first && !range.watch) return { kind: "too-short", first, head };
    let isWaiting = false;
    const sayWaiting = (): void => {
      if (isWaiting || last === undefined || progress.block >= last) return;
      isWaiting = true;
      say(`waiting for block ${last}. The chain has come to block ${progress.block}.`);
    };
    if (source !== undefined && !isSample)
      history = createSource(source, createNodeWorld(signal), { onNote: say });
    const running = run(built, node, store, {
      from: range.from,
      to,
      ...waiting,
      breathe,
      verify,
      // Only receipts roots and bloom filters depend on the chain, so other runs need not ask for it.
      ...((verify === "receipts" || history) && { chainId: (await askIdentity(reader.identity)).chainId }),
      ...(archived && { archive: archived }),
      ...(history && { history }),
      onLeftOut: (block, logs) => {
        leftOut += logs;
        display.print(`${visible(chain)}: ${leftOutText(block, logs)}\n`);
      },
      onUnproved: (why) => display.print(`${visible(chain)}: ${visible(why)}\n`),
      checkChain: () => guard.check(),
      files: openFiles(gateways, { signal }),
      ...(names && { names }),
      ...(openSource && { openSource }),
      ...(range.watch && { waitForBlocks: polling(signal, sayWaiting) }),
      onProgress: (now) => {
        startup ??= performance.now() - since;
        progress = now;
        display.update(chain, now);
      },
      onBlock: (_, { lines }) => {
        if (lines.length > 0 && !isSample) display.print(lines.map((line) => logLine(prefix, line)).join(""));
      },
    });
    // Keep what was read, even if the run fails.
    const outcome = await running.finally(() => archived?.flush());
    if (archived && !isSample)
      say(`${count(reader.requests(), "request")} to the node, the rest from the archive`);
    const requests = reader.counts();
    return {
      kind: "run",
      first,
      ...outcome,
      ...(startup !== undefined && { startup }),
      ...(requests && { requests }),
    };
  } catch (error) {
    // The current block is not written; all blocks before it are complete.
    const stopped = { kind: "run", first, progress, leftOut } as const;
    if (signal.aborted) return stopped;
    if (error instanceof ChainError || error instanceof ReorgError) return { ...stopped, unreachable: error };
    throw error;
  } finally {
    history?.forget();
  }
}

const nothing: Progress = { block: -1, target: -1, blocks: 0, handlers: 0, reads: 0, writes: 0, reverted: 0 };

function polling(signal: AbortSignal, onWait: () => void): () => Promise<boolean> {
  return async () => {
    onWait();
    await pause(pollInterval, signal);
    return !signal.aborted;
  };
}

function logLine(prefix: string, { level, message }: LogLine): string {
  return `${prefix}[${level}] ${visible(message)}\n`;
}
