import { visible } from "../../../base/text/visible.js";
import type { WaitingTeller } from "../../../datasets/extract/waiting-text.js";
import { pause } from "../../../machine/world.js";
import { pipelineDataset } from "../../../pipelines/definition/pipeline-dataset.js";
import type { PlannedSource } from "../../../pipelines/plan/pipeline-plan.js";
import { DatasetSource } from "../../../pipelines/sources/dataset-source.js";
import type { BatchLimits, Source, SourceBatch, SourcePosition } from "../../../pipelines/sources/source.js";
import { type BlockPointer, ChainError } from "../../../runtime/chain/chain.js";
import type { VerifyMode } from "../../../runtime/indexer/logs/verification.js";
import { openPatientReader } from "../../reader/open-patient-reader.js";
import { UsageError } from "../../terminal/usage/usage-error.js";

/** How chains are read. */
export interface ChainSourceOptions {
  /** Addresses of nodes by network. */
  readonly nodes: ReadonlyMap<string, string>;
  /** The archive's folder, absolute; `undefined` for none. */
  readonly archive: string | undefined;
  /** Milliseconds of retries. */
  readonly patience: number;
  readonly verify: VerifyMode;
  /** Contracts whose deposits and withdrawals are transfers of wrapped native coins. */
  readonly wrapped?: readonly string[] | undefined;
  /** The last block to read, unless that of the source comes before it. */
  readonly last?: number | undefined;
  /** Prints a permanent line. */
  say(text: string): void;
  /** Shows what a source waits for. */
  onWait(why: string): void;
  /** Tells why sources have not ended. Those of several sinks share it, because they wait for the same. */
  readonly waiting: WaitingTeller;
  /** Told the number of the chain's head whenever it is looked up. */
  onSeen?(head: number): void;
  /** Told whenever everything is read, with the number of the chain's head. */
  onHead?(head: number | undefined): void;
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks at the chain head. */
const interval = 2_000;

/** Opens the dataset of a source. The node is asked when its first batch is. */
export function openChainSource(
  planned: PlannedSource,
  finalOnly: boolean,
  options: ChainSourceOptions,
): Source {
  return {
    async *batches(
      position: SourcePosition | undefined,
      limits?: BatchLimits,
    ): AsyncGenerator<SourceBatch, void, void> {
      const source = await openDataset(planned, finalOnly, options);
      yield* source.batches(position, limits);
    },
  };
}

async function openDataset(
  { definition, schema, addresses }: PlannedSource,
  finalOnly: boolean,
  options: ChainSourceOptions,
): Promise<DatasetSource> {
  const {
    nodes,
    archive,
    patience: limit,
    verify,
    last,
    wrapped,
    say,
    onWait,
    waiting,
    onSeen,
    onHead,
    signal,
  } = options;
  if (definition.type !== "dataset") throw new UsageError("Only datasets can be read.");
  const { dataset_name: name, version, start_at: start, end_block: defined } = definition.settings;
  const end = endOf(defined?.value, last);
  const refuse = (why: string): never => {
    throw new ChainError(why);
  };
  const { dataset, network, chainId } = pipelineDataset(name?.value ?? "", version?.value);
  const { reader, chainIdentity, source, patience } = await openPatientReader(
    { network, url: nodes.get(network), archive },
    end,
    {
      patience: limit,
      signal,
      say,
      verify,
      onRetry: (why, wait) => onWait(`retrying in ${(wait / 1000).toFixed(1)} s: ${why}`),
      onRefused: refuse,
    },
  );
  if (chainId !== undefined && chainIdentity.chainId !== chainId)
    throw new UsageError(
      `The node of ${network} is of chain ${visible(chainIdentity.chainId)}, but ${network} is chain ${chainId}. Pass a node of ${network}.`,
    );
  // A chain on the user's machine calls blocks final late or never, and has no new ones to wait for.
  const isAtOnce = chainId === undefined && end !== undefined;
  let seen: number | undefined;
  let finalTo: number | undefined;
  const finalOf = async (head: BlockPointer): Promise<BlockPointer | undefined> => {
    seen = head.number;
    onSeen?.(seen);
    const final = isAtOnce ? head : await reader.final(head, refuse);
    finalTo = final?.number;
    return final;
  };
  const { archived } = reader;
  return new DatasetSource({
    source,
    kind: dataset.kind,
    columns: schema.columns,
    addresses,
    wrapped,
    startAt: start?.value ?? "latest",
    last: end,
    finalOnly,
    finalOf,
    patience,
    storedLogs: archived && ((question) => archived.storedLogs(question)),
    waitForBlocks: async () => {
      await reader.archived?.flush();
      onHead?.(seen);
      if (seen !== undefined && end !== undefined)
        waiting.waits(network, end, { head: seen, final: finalTo });
      await pause(interval, signal);
      return !signal.aborted;
    },
  });
}

/** The first of two blocks of which either may not be known. */
function endOf(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
