import { chainOfId } from "../../../chains/look-up-chain.js";
import type { ArchiveFiles } from "../../../datasets/archive/archive-files.js";
import { askIdentity } from "../../../datasets/archive/identity.js";
import { openReadableChain } from "../../../datasets/archive/readable-chain.js";
import type { WaitingTeller } from "../../../datasets/extract/waiting-text.js";
import type { ThreadWorld } from "../../../hosting/embedded/thread-world.js";
import { longestTurn, type NodesOverPort } from "../../../rpc/nodes-over-port.js";
import { type BlockPointer, ChainError, ReorgError } from "../../../runtime/chain/chain.js";
import { Patience } from "../../../runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../runtime/chain/rpc/patient-chain.js";
import { createRpcClient } from "../../../runtime/chain/rpc/rpc-client.js";
import { leftOutText, Verification, type VerifyMode } from "../../../runtime/indexer/logs/verification.js";
import { pipelineDataset } from "../../definition/pipeline-dataset.js";
import type { PlannedSource } from "../../plan/pipeline-plan.js";
import { DatasetSource } from "../../sources/dataset-source.js";
import type { BatchLimits, Source, SourceBatch, SourcePosition } from "../../sources/source.js";
import { SourceError } from "../../sources/source-error.js";
import { HeadNews } from "../head-news.js";
import type { PipelineLine } from "../pipeline-engine.js";

/** The nodes of a network, as a pipeline's thread reaches them. */
export interface ServedNodes {
  readonly name: string;
  readonly nodes: NodesOverPort;
  readonly heads: HeadNews;
}

/** Milliseconds after which the chain head is looked at even if no new one was announced. */
const longestWait = 15_000;

/** The nodes of a network that a pipeline has a port to. */
export function servedNodes(name: string, nodes: NodesOverPort, world: ThreadWorld): ServedNodes {
  const wait = (): Promise<void> => nodes.newHead((milliseconds) => world.sleep(milliseconds), longestWait);
  return { name, nodes, heads: new HeadNews(wait) };
}

/** How the chains of a server are read. */
export interface ServedChainOptions {
  readonly networks: ReadonlyMap<string, ServedNodes>;
  readonly archive: ArchiveFiles | undefined;
  readonly verify: VerifyMode;
  /** The last block to read, unless that of the source comes before it. */
  readonly last?: number | undefined;
  readonly world: ThreadWorld;
  say(level: PipelineLine["level"], text: string): void;
  /** Tells why sources have not ended. Those of several sinks share it, because they wait for the same. */
  readonly waiting: WaitingTeller;
  /** Told that a source has given everything, with the number of the chain's head as it sees it. */
  onHead?(head: number | undefined): void;
  /** Told of every head of the chain that a source has seen. */
  onSeen?(head: number): void;
  readonly signal: AbortSignal;
}

/** Milliseconds of retries before a source counts as stalled, which it says and then tries again. */
const patience = 20_000;
/** Requests under way at once, for each sink. */
const concurrency = 4;
/** Bytes of segments' files whose content stays in memory. */
const cachedBytes = 8 * 1_048_576;

/** Opens the dataset of a source. Nodes that do not answer make it stall; they never end it. */
export function openServedChain(
  planned: PlannedSource,
  finalOnly: boolean,
  options: ServedChainOptions,
): Source {
  return {
    async *batches(
      position: SourcePosition | undefined,
      limits?: BatchLimits,
    ): AsyncGenerator<SourceBatch, void, void> {
      try {
        const source = await openDataset(planned, finalOnly, options);
        yield* source.batches(position, limits);
      } catch (error) {
        if (options.signal.aborted) return;
        if (error instanceof ChainError || error instanceof ReorgError)
          throw new SourceError(`${planned.name}: ${error.message}`, true, { cause: error });
        throw error;
      }
    },
  };
}

async function openDataset(
  { definition, schema, addresses }: PlannedSource,
  finalOnly: boolean,
  { networks, archive: files, verify, last, world, say, waiting, onHead, onSeen, signal }: ServedChainOptions,
): Promise<DatasetSource> {
  if (definition.type !== "dataset") throw new Error("an entity is not a dataset");
  const { dataset_name: name, version, start_at: start, end_block: defined } = definition.settings;
  const end = last === undefined ? defined?.value : Math.min(last, defined?.value ?? last);
  const { dataset, network, chainId } = pipelineDataset(name?.value ?? "", version?.value);
  const served = networks.get(network);
  if (!served)
    throw new SourceError(
      `This server has no node of ${network}. Its operator can add one with --rpc ${network}=<url>.`,
      false,
    );
  const fetch = served.nodes.fetch;
  const client = createRpcClient(
    served.name,
    { ...world, fetch },
    { timeout: longestTurn, patience, concurrency },
  );
  const onRefused = (why: string): never => {
    throw new ChainError(why);
  };
  const reader = await openReadableChain({
    network,
    node: client,
    files,
    to: end,
    cachedBytes,
    onRefused,
    onDamage: (why) => say("warn", `Part of the archive is not used: ${why}`),
    onTrouble: (why) => say("warn", `No longer writing to the archive: ${why}`),
  });
  const identity = await askIdentity(reader.identity, chainId);
  if (chainId !== undefined && identity.chainId !== chainId)
    throw new SourceError(
      `The server's node of ${network} is of chain ${identity.chainId}, but ${network} is chain ${chainId}.`,
      false,
    );
  const retries = new Patience({
    limit: patience,
    pause: (wait) => world.sleep(wait),
    chance: () => world.random(),
    signal,
  });
  const notes = {
    onLeftOut: (block: number, logs: number) => say("warn", leftOutText(block, logs)),
    onUnproved: (text: string) => say("warn", text),
  };
  const exception = chainOfId(identity.chainId)?.rootException;
  const chain = createPatientChain(reader.chain, retries);
  const { archived } = reader;
  // A chain on the user's machine calls blocks final late or never, and has no new ones to wait for.
  const newHead = served.heads.listener();
  let seen: number | undefined;
  let finalTo: number | undefined;
  const isAtOnce = chainId === undefined && end !== undefined;
  return new DatasetSource({
    source: {
      chain,
      verification: new Verification(verify, notes, exception, identity.chainId),
      ...(archived && { archive: archived }),
    },
    kind: dataset.kind,
    columns: schema.columns,
    addresses,
    startAt: start?.value ?? "latest",
    last: end,
    finalOnly,
    finalOf: async (head: BlockPointer) => {
      seen = head.number;
      onSeen?.(head.number);
      const final = isAtOnce ? head : await reader.final(head, onRefused);
      finalTo = final?.number;
      return final;
    },
    patience: retries,
    storedLogs: archived && ((question) => archived.storedLogs(question)),
    waitForBlocks: async () => {
      await archived?.flush();
      onHead?.(seen);
      if (seen !== undefined && end !== undefined)
        waiting.waits(network, end, { head: seen, final: finalTo });
      await newHead();
      return !signal.aborted;
    },
  });
}
