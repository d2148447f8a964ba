import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import { ArchivedChain } from "../../datasets/archive/archived-chain.js";
import {
  type CheckedClient,
  checkedClient,
  ReplacedBlockError,
} from "../../datasets/archive/checked-client.js";
import { type OpenedArchive, openArchive } from "../../datasets/archive/open-archive.js";
import { type Chain, ChainError } from "../../runtime/chain/chain.js";
import { ChainGuard, type ChainMemory } from "../../runtime/chain/chain-guard.js";
import { finalBlock } from "../../runtime/chain/final-block.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../runtime/chain/rpc-chain.js";
import type { ThreadLog } from "./thread-log.js";

/** The dependencies of reading a deployment's chain. */
export interface DeploymentChainOptions {
  /** Sends requests to the nodes. */
  readonly client: RpcClient;
  readonly network: string;
  /** Which chain was indexed. */
  readonly memory: ChainMemory;
  /** The archive's files; `undefined` for none. */
  readonly files: ArchiveFiles | undefined;
  readonly log: Pick<ThreadLog, "say">;
  /** The time in milliseconds since any fixed moment. */
  readonly now: () => number;
}

/** The chain of a deployment: nodes, and an archive of reads from them if there is one. */
export interface DeploymentChain {
  readonly chain: Chain;
  /** Set if there is an archive. */
  readonly archive?: ArchivedChain;
  /** Compares the nodes' chain with the one that was indexed. @throws StrangeChainError, ChainError */
  check(): Promise<void>;
  /** Writes the data gathered for the archive, unless the last write was recent: each write creates a segment. */
  rest(): Promise<void>;
  /** Writes the data gathered for the archive. */
  end(): Promise<void>;
}

/** Milliseconds between two segments of a deployment that follows the head. */
const flushPause = 600_000;
/**
 * Bytes of segment files whose content a thread caches. In memory they take ten times as much, and a thread has
 * little.
 */
const cachedBytes = 8 * 1_048_576;

/**
 * Opens the chain of a deployment. If an archive cannot be opened, or the nodes' chain has replaced its blocks, it
 * logs this and works without the archive.
 * @throws StrangeChainError if the nodes serve a different chain than the deployment or the archive; ChainError when
 * they do not answer
 */
export async function openDeploymentChain(options: DeploymentChainOptions): Promise<DeploymentChain> {
  const { client, network, memory, log, now } = options;
  const kept = await openKept(options);
  if (!kept) {
    const guard = new ChainGuard(client, network, memory);
    const nothing = async (): Promise<void> => undefined;
    return { chain: createRpcChain(client), check: () => guard.check(), rest: nothing, end: nothing };
  }
  const { opened, checked } = kept;
  const guard = new ChainGuard(checked, network, memory);
  const { chainId } = opened.identity;
  let isRefused = false;
  const onRefused = (why: string): void => {
    if (!isRefused) log.say("warn", `Nothing is added to the archive: ${why}.`);
    isRefused = true;
  };
  const archive = new ArchivedChain(createRpcChain(checked), opened.archive, {
    finalOf: async (head) => {
      // The nodes' address may already lead to another chain that the run has not noticed.
      await guard.check();
      return finalBlock(checked, head, chainId, onRefused);
    },
    onTrouble: (why) => log.say("warn", `No longer writing to the archive: ${why}`),
    recheck: checked.recheck,
  });
  let flushedAt = Number.NEGATIVE_INFINITY;
  return {
    chain: archive,
    archive,
    check: () => guard.check(),
    rest: async () => {
      if (now() - flushedAt < flushPause) return;
      flushedAt = now();
      await archive.flush();
    },
    end: () => archive.flush(),
  };
}

/** The archive, unless there is none or it cannot be used. */
async function openKept({
  client,
  network,
  memory,
  files,
  log,
}: DeploymentChainOptions): Promise<
  { readonly opened: OpenedArchive; readonly checked: CheckedClient } | undefined
> {
  if (!files) return undefined;
  // The network's name must keep meaning the chain that was indexed.
  await new ChainGuard(client, network, {
    ...memory,
    recall: () => memory.recall(),
    remember: async () => undefined,
  }).check();
  const onDamage = (why: string): void => log.say("warn", `Part of the archive is not used: ${why}`);
  try {
    const opened = await openArchive(files, network, client, onDamage, cachedBytes);
    const checked = checkedClient(client, opened);
    await checked.check();
    return { opened, checked };
  } catch (error) {
    const isOfNode = error instanceof ChainError && !(error instanceof ReplacedBlockError);
    if (isOfNode || !(error instanceof Error)) throw error;
    log.say("warn", `The archive is not used: ${error.message}`);
    return undefined;
  }
}
