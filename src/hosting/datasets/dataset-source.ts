import { setMaxListeners } from "node:events";
import type { MessagePort } from "node:worker_threads";
import type { World } from "../../base/world.js";
import type { ArchiveFiles } from "../../datasets/archive/archive-files.js";
import { askIdentity } from "../../datasets/archive/identity.js";
import { type DatasetChain, datasetChain } from "../../datasets/catalog/dataset-chain.js";
import type { Gateway } from "../../rpc/gateway.js";
import { fetchOf } from "../../rpc/gateway-fetch.js";
import type { SayLine } from "../../rpc/node-watch.js";
import type { Nodes } from "../../rpc/nodes.js";
import { serveNodes } from "../../rpc/serve-nodes.js";
import { pointerIfKnown } from "../../runtime/chain/block-pointer.js";
import { ChainError } from "../../runtime/chain/chain.js";
import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";
import { finalBlock } from "../../runtime/chain/final-block.js";
import { createRpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { fileInThread, type ThreadOutcome } from "./dataset-thread.js";
import type { WantedFile } from "./messages.js";

/** A chain that a server can read. */
export interface ServedChain extends DatasetChain {
  /** The network of its nodes, as the server was started with it. */
  readonly nodes: string;
}

/** How far a chain is known. */
export interface ChainReading {
  readonly identity: ChainIdentity;
  /** The chain head. */
  readonly newest: number;
  /** The newest block that no reorganisation replaces; `undefined` if there is none yet. */
  readonly final: number | undefined;
}

/** The nodes of a chain do not answer, or belong to another chain. */
export class UnreadableChainError extends Error {
  override readonly name = "UnreadableChainError";
}

/** Datasets of the chains that a server has nodes for, made on demand. */
export interface DatasetSource {
  /** By name. */
  readonly chains: ReadonlyMap<string, ServedChain>;
  /** Asks a chain's nodes for its newest blocks. @throws UnreadableChainError */
  read(chain: ServedChain): Promise<ChainReading>;
  /**
   * Creates a file in a thread. It never rejects.
   * @param project the project whose turns it uses
   * @param mostBytes the most bytes of the file
   * @param signal ends the work
   */
  file(wanted: WantedFile, project: string, mostBytes: number, signal: AbortSignal): Promise<ThreadOutcome>;
  /** Ends all work. */
  close(): void;
}

/** The dependencies of a source of datasets. */
export interface DatasetSourceOptions {
  /** The server's nodes. Networks that are neither known nor local have no datasets. */
  readonly nodes: Nodes;
  readonly world: World;
  readonly verify: VerifyMode;
  /** Where chain data is kept; `undefined` if it is not kept. */
  readonly archive?: ArchiveFiles | undefined;
  /** Milliseconds that the nodes may be away or contradict themselves while a file is made; 20 seconds by default. */
  readonly patience?: number;
  /** Receives a line when the archive's files cannot be used. */
  readonly say?: SayLine | undefined;
}

const usualPatience = 20_000;
/** Milliseconds in which a chain's nodes must report their state. */
const glance = { timeout: 2_500, patience: 0 };

/** Creates a source of the datasets of a server's chains. */
export function createDatasetSource(options: DatasetSourceOptions): DatasetSource {
  const { nodes, world, verify, archive, say, patience = usualPatience } = options;
  const closing = new AbortController();
  // Every file that is being made adds a listener.
  setMaxListeners(0, closing.signal);
  const chains = servedChains(nodes.networks);
  const gatewayOf = (network: string): Gateway => {
    const gateway = nodes.of(network);
    if (!gateway) throw new ChainError(`there is no node of ${network}`);
    return gateway;
  };
  return {
    chains,
    read: (chain) => readChain(chain, gatewayOf(chain.nodes), world, closing.signal),
    file(wanted, project, mostBytes, signal) {
      const gateway = gatewayOf(wanted.network);
      // A node of another chain gets no second request: waiting does not change its chain.
      const isOther = gateway.trouble?.kind === "other-chain";
      const thread = {
        verify,
        archive,
        mostBytes,
        patience: isOther ? 0 : patience,
        nodeName: gateway.name,
        onArchiveFailure: (why: string) => say?.("warn", `The archive: ${why}`),
        serveNodes: (port: MessagePort) =>
          serveNodes({ kind: "datasets", project, name: "" }, gateway, undefined, port),
      };
      return fileInThread(wanted, thread, AbortSignal.any([signal, closing.signal]));
    },
    close: () => closing.abort(),
  };
}

async function readChain(
  { name, chainId }: ServedChain,
  gateway: Gateway,
  world: World,
  signal: AbortSignal,
): Promise<ChainReading> {
  const asker = { kind: "datasets", project: "", name: "" } as const;
  const fetch = fetchOf((body) => gateway.answer(asker, body, signal));
  const client = createRpcClient(gateway.name, { ...world, fetch }, glance);
  try {
    const identity = await askIdentity(client, chainId);
    if (chainId !== undefined && identity.chainId !== chainId)
      throw new UnreadableChainError(`the nodes of ${name} are of chain ${identity.chainId}`);
    const head = await pointerIfKnown(client, "latest");
    if (!head) throw new UnreadableChainError(`the nodes of ${name} have no block`);
    const final = chainId === undefined ? head : await finalBlock(client, head, identity.chainId);
    return { identity, newest: head.number, final: final?.number };
  } catch (error) {
    if (error instanceof ChainError) throw new UnreadableChainError(error.message, { cause: error });
    throw error;
  }
}

/** The chains of networks. Of several names of one chain, the first counts. */
function servedChains(networks: readonly string[]): ReadonlyMap<string, ServedChain> {
  const chains = new Map<string, ServedChain>();
  for (const network of networks) {
    const chain = datasetChain(network);
    if (chain && !chains.has(chain.name)) chains.set(chain.name, { ...chain, nodes: network });
  }
  return chains;
}
