import { countWrites } from "../../../datasets/archive/counted-writes.js";
import type { ArchiveMeasure } from "../../../datasets/archive/measure-archive.js";
import { archivedNetworks } from "../../../datasets/archive/open-archive.js";
import { overlayOn } from "../../../datasets/archive/overlay-files.js";
import type { Part } from "../../../runtime/indexer/density.js";
import type { SampleLoad } from "../../../runtime/indexer/estimate-requests.js";
import type { SampleBytes, SampleStores } from "../../../store/sample-stores.js";
import type { BuiltSubgraph } from "../../../subgraph/runnable/built-subgraph.js";
import { type ChainToRun, indexChain, type RunEnvironment } from "../index-chain.js";

/** A sample of a chain, before its work is known. */
export interface Sampled extends Omit<SampleLoad, "work" | "archive" | "database"> {
  /** The part of the chain that was indexed. */
  readonly part: Part;
  readonly database: SampleBytes;
  /** Bytes written to the archive. */
  readonly archived: number;
  /** The block in which a handler failed. */
  readonly failedIn: number | undefined;
}

/** The dependencies of indexing samples. */
export interface SampleEnvironment
  extends Omit<RunEnvironment, "measures" | "isSample" | "names" | "namesChains"> {
  readonly stores: SampleStores;
  /** Receives the sample's additions to the archive, which itself stays unchanged. */
  readonly measure: (chainId: string) => ArchiveMeasure;
}

/**
 * Indexes a part of a chain into a database in memory, and measures the load.
 * @returns `undefined` when there is no whole block, since a handler failed in the first one or the signal was
 * aborted
 * @throws ChainError, ReorgError when the node stays unreachable or inconsistent for too long; DatabaseError
 */
export async function sampleChain(
  chain: ChainToRun,
  part: Part,
  fromBlock: number | undefined,
  { stores, measure, ...environment }: SampleEnvironment,
): Promise<Sampled | { readonly failedIn: number | undefined }> {
  const built = builtFor(chain.built, part, chain.first, fromBlock);
  const { store, bytes, drop } = await stores.open(built);
  try {
    const overlay = environment.archive && overlayOn(environment.archive);
    const archive = overlay && countWrites(overlay);
    const since = performance.now();
    const outcome = await indexChain(
      { ...chain, built, store },
      {
        from: part.from === chain.first ? fromBlock : part.from,
        to: part.to,
        blocks: undefined,
        watch: false,
      },
      { ...environment, archive, names: undefined, namesChains: false, measures: true, isSample: true },
    );
    const seconds = (performance.now() - since) / 1000;
    if (outcome.kind !== "run" || environment.signal.aborted) return { failedIn: undefined };
    if (outcome.unreachable) throw outcome.unreachable;
    const { failure, progress, requests } = outcome;
    const blocks = progress.block - part.from + 1;
    const failedIn = failure?.block;
    if (blocks <= 0 || !requests) return { failedIn };
    const networks = overlay ? await archivedNetworks(overlay) : [];
    const kept = networks.findLast(({ network }) => network === built.network);
    if (overlay && kept) await measure(kept.chainId).add(overlay, kept.folder);
    const counted = { from: part.from, to: progress.block };
    return {
      from: part.from,
      blocks,
      part: { ...part, ...counted, counted, logs: part.logs.filter((block) => block <= progress.block) },
      side: part.side,
      seconds,
      startup: (outcome.startup ?? 0) / 1000,
      once: requests.once,
      methods: requests.methods,
      triggers: progress.handlers,
      versions: progress.writes,
      database: await bytes(),
      archived: archive?.growth ?? 0,
      failedIn,
    };
  } finally {
    await drop();
  }
}

/** A sample has only the sources that listen in it: a run from its first block would start the others early. */
function builtFor(
  built: BuiltSubgraph,
  { from, to }: Part,
  first: number,
  fromBlock = Number.POSITIVE_INFINITY,
): BuiltSubgraph {
  if (from === first) return built;
  const dataSources = built.dataSources.filter(({ startBlock }) => Math.min(startBlock, fromBlock) <= to);
  return { ...built, dataSources };
}
