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

/** The sources for reading a chain. */
export interface ReadableChainOptions {
  /** The chain's name in manifests. */
  readonly network: string;
  /** `undefined` if no node may be asked. */
  readonly node: RpcClient | undefined;
  /** The archive's files; `undefined` for none. */
  readonly files: ArchiveFiles | undefined;
  /** The archive's name in messages: its folder. */
  readonly place?: string | undefined;
  /** The last block to read, if there is one. */
  readonly to: number | undefined;
  /** Called when a part of the archive is damaged and will be fetched again. */
  onDamage(why: string): void;
  /** Called when the archive can no longer be written. */
  onTrouble(why: string): void;
  /**
   * Called, maybe repeatedly, when nothing is added to the archive because the node does not report what is final.
   */
  onRefused(why: string): void;
  /** As of `openArchive`. */
  readonly cachedBytes?: number;
}

/** A chain that is open for reading. */
export interface ReadableChain {
  readonly chain: Chain;
  /** Tells which chain this is. */
  readonly identity: RpcClient;
  /** Set when there is an archive. */
  readonly archived?: ArchivedChain;
  /** The last block to read: the wanted one, or without a node, the newest final block of the archive. */
  readonly to: number | undefined;
  /**
   * The newest block that no reorganisation replaces, given the chain head.
   * @param onRefused called when the node does not tell although nodes of the chain do
   */
  final(head: BlockPointer, onRefused: (why: string) => void): Promise<BlockPointer | undefined>;
}

/**
 * Opens a chain for reading: from a node, from an archive, or from an archive first and a node for the rest.
 * @throws ChainError when the node does not answer, or when there is no node and the archive lacks the chain
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
  // A local chain is easily reset: then even complete data in the archive belongs to a lost chain.
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
