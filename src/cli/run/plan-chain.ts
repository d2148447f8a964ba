import { openChain } from "../../node/open-chain.js";
import {
  estimateLoad,
  type LoadEstimate,
  type SampleLoad,
  samplePlaces,
} from "../../runtime/indexer/estimate-requests.js";
import type { VerifyMode } from "../../runtime/indexer/verification.js";
import { createMemoryStore } from "../../runtime/store/create-memory-store.js";
import type { BuiltSubgraph } from "../../subgraph/runnable/built-subgraph.js";
import type { RequestCounts } from "../reader/count-requests.js";
import { type ChainToRun, indexChain, type RunEnvironment } from "./index-chain.js";

/** What to plan for, and by which samples. */
export interface PlanRange {
  readonly fromBlock?: number | undefined;
  readonly toBlock?: number | undefined;
  readonly blocks?: number | undefined;
  readonly samples: number;
  readonly sampleBlocks: number;
  readonly ipfs?: string | undefined;
  /** Seconds. */
  readonly patience: number;
  readonly verify: VerifyMode;
}

/** What indexing a chain will need. */
export type ChainPlan =
  | {
      readonly kind: "plan";
      readonly from: number;
      readonly to: number;
      readonly samples: readonly SampleLoad[];
      readonly load: LoadEstimate;
      /** What the estimate does not see, as sentences. */
      readonly notes: readonly string[];
    }
  /** There is nothing to estimate from. */
  | { readonly kind: "none"; readonly why: string };

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Estimates what indexing a chain will need: indexes samples of it into memory and counts the requests.
 * @throws ChainError, ReorgError when the node stays unreachable or inconsistent for too long
 */
export async function planChain(
  chain: ChainToRun,
  wanted: PlanRange,
  { archive, display, signal }: Pick<RunEnvironment, "archive" | "display" | "signal">,
): Promise<ChainPlan> {
  const { url, first, built } = chain;
  if (url === undefined) return { kind: "none", why: "no node is given" };
  const patience = wanted.patience * 1000;
  const { number: head } = await openChain(url, { patience, signal }).head();
  if (head < first) {
    const advice = wanted.fromBlock === undefined ? " For a local chain, pass --from-block 0" : "";
    return {
      kind: "none",
      why: `the chain ends at block ${head}, before the first block to index, ${first}.${advice}`,
    };
  }
  const to = Math.max(first, lastBlock(chain, wanted, head));
  const places = samplePlaces({ from: first, to }, wanted.samples, wanted.sampleBlocks);
  const samples: SampleLoad[] = [];
  const notes = notesOf(built);
  for (const place of places) {
    let counts: RequestCounts | undefined;
    const since = performance.now();
    const outcome = await indexChain(
      { ...chain, built: builtFor(built, place, first, wanted), store: createMemoryStore(built) },
      {
        from: place.from === first ? wanted.fromBlock : place.from,
        to: place.to,
        blocks: undefined,
        watch: false,
      },
      {
        patience,
        ipfs: wanted.ipfs,
        names: undefined,
        archive,
        verify: wanted.verify,
        display,
        namesChains: false,
        signal,
        onSampled: (found) => {
          counts = found;
        },
      },
    );
    if (outcome.kind !== "run" || signal.aborted || !counts) continue;
    if (outcome.unreachable) throw outcome.unreachable;
    const { failure, progress } = outcome;
    const blocks = progress.block - place.from + 1;
    if (failure)
      notes.push(`a handler failed in block ${failure.block} of a sample; the sample ends before that block`);
    if (blocks <= 0) continue;
    const { once, methods, logs, blocksWithLogs } = counts;
    const demanded = demandsAll(built, wanted) ? blocks : blocksWithLogs;
    samples.push({
      from: place.from,
      blocks,
      logs,
      demanded,
      seconds: (performance.now() - since) / 1000,
      once,
      methods,
    });
  }
  if (samples.length === 0)
    return {
      kind: "none",
      why: `the samples have not a single whole block: ${notes.at(-1) ?? "the run was interrupted"}`,
    };
  return { kind: "plan", from: first, to, samples, load: estimateLoad(samples, to - first + 1), notes };
}

/** The last block that `run` would index. */
function lastBlock({ first, built }: ChainToRun, { toBlock, blocks }: PlanRange, head: number): number {
  const wanted = toBlock ?? (blocks === undefined ? head : first + blocks - 1);
  const ends = Math.max(...built.dataSources.map(({ endBlock }) => endBlock ?? Number.POSITIVE_INFINITY));
  return Math.min(wanted, head, ends);
}

/** Whether each block may be demanded, not only those with logs. */
function demandsAll({ dataSources, templates }: BuiltSubgraph, { verify }: PlanRange): boolean {
  const all = [...dataSources, ...templates];
  return (
    verify === "receipts" ||
    all.some(({ blockHandlers, callHandlers }) => blockHandlers.length + callHandlers.length > 0)
  );
}

/** A sample has only the sources that listen in it: a run from its first block would start the others early. */
function builtFor(
  built: BuiltSubgraph,
  { from, to }: Range,
  first: number,
  { fromBlock = Number.POSITIVE_INFINITY }: PlanRange,
): BuiltSubgraph {
  if (from === first) return built;
  const dataSources = built.dataSources.filter(({ startBlock }) => Math.min(startBlock, fromBlock) <= to);
  return { ...built, dataSources };
}

function notesOf({ templates }: BuiltSubgraph): string[] {
  const notes = ["disk is not estimated"];
  if (templates.length > 0)
    notes.unshift(
      "the configuration has templates: contracts created outside the samples are not counted, so the real figures may be higher",
    );
  return notes;
}
