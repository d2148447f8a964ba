import { ArchivedChain } from "../../datasets/archive/archived-chain.js";
import { askIdentity, checkedClient, identityClient } from "../../datasets/archive/identity.js";
import { offlineClient } from "../../datasets/archive/offline-client.js";
import { openArchive } from "../../datasets/archive/open-archive.js";
import { openArchiveFiles } from "../../node/archive-files.js";
import { type OpenChainOptions, openClient } from "../../node/open-chain.js";
import type { BlockPointer, Chain } from "../../runtime/chain/chain.js";
import { finalBlock } from "../../runtime/chain/final-block.js";
import { createRpcChain } from "../../runtime/chain/rpc-chain.js";
import type { RpcClient } from "../../runtime/chain/rpc-client.js";
import { countRequests, type RequestCounts } from "./count-requests.js";

/** Where to read a chain from: a node, an archive, or an archive first and a node for the rest. */
export interface ChainPlace {
  /** The chain's name in the manifest. */
  readonly network: string;
  /** The node's address; `undefined` when offline. */
  readonly url: string | undefined;
  /** The archive's folder, absolute. */
  readonly archive: string | undefined;
}

/** A chain that is open for reading. */
export interface ChainReader {
  readonly chain: Chain;
  /** Tells which chain this is. */
  readonly identity: RpcClient;
  /** Set when there is an archive. */
  readonly archived?: ArchivedChain;
  /** The last block to read: the requested one, or without a node, the newest final block of the archive. */
  readonly to: number | undefined;
  /**
   * The newest block that no reorganisation replaces, given the chain head.
   * @param onRefused called when the node does not tell although nodes of the chain do
   */
  final(head: BlockPointer, onRefused: (why: string) => void): Promise<BlockPointer | undefined>;
  /** The number of requests sent to the node. */
  requests(): number;
  /** The requests sent to the node, by method. */
  counts(): RequestCounts | undefined;
}

/** Notices about an archive. Reading continues. */
export interface ArchiveNotes {
  /** A part of the archive is damaged and will be fetched again. */
  onDamage(why: string): void;
  /** The archive can no longer be written. */
  onTrouble(why: string): void;
  /** Nothing is added to the archive, because the node does not say what is final. May be called repeatedly. */
  onRefused(why: string): void;
}

/**
 * Opens a chain for reading.
 * @param to the last block to read, if there is one
 * @param measures whether to measure the node's answers
 * @throws ChainError when the node does not answer, or when there is no node and the archive lacks the chain
 */
export async function openReader(
  { network, url, archive: folder }: ChainPlace,
  to: number | undefined,
  options: OpenChainOptions,
  notes: ArchiveNotes,
  measures = false,
): Promise<ChainReader> {
  const node = url === undefined ? undefined : countRequests(openClient(url, options), measures);
  const counts = (): RequestCounts | undefined => node?.counts();
  const requests = (): number => counts()?.total ?? 0;
  if (folder === undefined) {
    const client = node ?? offlineClient;
    const final: ChainReader["final"] = async (head, onRefused) =>
      finalBlock(client, head, (await askIdentity(client)).chainId, onRefused);
    return { chain: createRpcChain(client), identity: client, to, final, requests, counts };
  }
  const { archive, identity } = await openArchive(openArchiveFiles(folder), network, node, notes.onDamage);
  const client = node ? checkedClient(node, identity) : offlineClient;
  const last = to ?? (node ? undefined : archive.marks?.final.number);
  const archived = new ArchivedChain(createRpcChain(client), archive, {
    finalOf: (head) => finalBlock(client, head, identity.chainId, notes.onRefused),
    to: last,
    onTrouble: notes.onTrouble,
  });
  const final: ChainReader["final"] = async (head, onRefused) =>
    node ? finalBlock(client, head, identity.chainId, onRefused) : archive.marks?.final;
  return { chain: archived, archived, identity: identityClient(identity), to: last, final, requests, counts };
}
