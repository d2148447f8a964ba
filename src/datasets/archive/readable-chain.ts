import { localChainIds } from "../../chains/local-chains.js";
import type { BlockPointer, Chain } from "../../runtime/chain/chain.js";
import { finalBlock } from "../../runtime/chain/final-block.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../runtime/chain/rpc-chain.js";
import type { ArchiveFiles } from "./archive-files.js";
import { ArchivedChain } from "./archived-chain.js";
import { checkedClient } from "./checked-client.js";
import { askIdentity, identityClient } from "./identity.js";
import { offlineClient } from "./offline-client.js";
import { openArchive } from "./open-archive.js";

/** Where to read a chain from. */
export interface ReadableChainOptions {
  /** The chain's name in manifests. */
  readonly network: string;
  /** `undefined` if no node may be asked. */
  readonly node: RpcClient | undefined;
  /** The archive's files; `undefined` for none. */
  readonly files: ArchiveFiles | undefined;
  /** The archive's folder, for messages. */
  readonly place?: string | undefined;
  readonly to: number | undefined;
  /** Called if a part of the archive is damaged and will be fetched again. */
  onDamage(why: string): void;
  /** Called when the archive can no longer be written. */
  onTrouble(why: string): void;
  /**
   * Called, possibly several times, if nothing is added to the archive because the node does not report what is
   * final.
   */
  onRefused(why: string): void;
  /** See `openArchive`. */
  readonly cachedBytes?: number;
}

export interface ReadableChain {
  readonly chain: Chain;
  /** Answers which chain this is. */
  readonly identity: RpcClient;
  /** Set if there is an archive. */
  readonly archived?: ArchivedChain;
  /** The last block to read: the requested one; without a node, the archive's newest final block. */
  readonly to: number | undefined;
  /**
   * The newest final block, given the chain head.
   * @param onRefused called if the node does not report it although other nodes of the chain do
   */
  final(head: BlockPointer, onRefused: (why: string) => void): Promise<BlockPointer | undefined>;
}

/**
 * Opens a chain for reading: from a node, from an archive, or from an archive with a node for the rest.
 * @throws ChainError if the node does not answer, or if there is no node and the archive lacks the chain
 */
export async function openReadableChain({
  network,
  node,
  files,
  place,
  to,
  onDamage,
  onTrouble,
  onRefused,
  cachedBytes,
}: ReadableChainOptions): Promise<ReadableChain> {
  if (!files) {
    const client = node ?? offlineClient;
    const final: ReadableChain["final"] = async (head, hear) =>
      finalBlock(client, head, (await askIdentity(client)).chainId, hear);
    return { chain: createRpcChain(client), identity: client, to, final };
  }
  const opened = await openArchive(files, network, node, onDamage, cachedBytes);
  const { archive, identity } = opened;
  const checked = node && checkedClient(node, opened, place);
  // A local chain is easily reset: then even complete archived data belongs to a lost chain.
  if (localChainIds.has(identity.chainId)) await checked?.check();
  const client = checked ?? offlineClient;
  const last = to ?? (node ? undefined : archive.marks?.final.number);
  const finalOf = (head: BlockPointer) => finalBlock(client, head, identity.chainId, onRefused);
  const archived = new ArchivedChain(createRpcChain(client), archive, {
    finalOf,
    to: last,
    onTrouble,
    recheck: checked?.recheck,
  });
  const final: ReadableChain["final"] = async (head, hear) =>
    node ? finalBlock(client, head, identity.chainId, hear) : archive.marks?.final;
  return { chain: archived, archived, identity: identityClient(identity), to: last, final };
}
