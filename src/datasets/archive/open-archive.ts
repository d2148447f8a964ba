import { localChainIds } from "../../chains/local-chains.js";
import { chainOfId } from "../../chains/look-up-chain.js";
import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";
import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import type { ArchiveFiles } from "./archive-files.js";
import { ChainArchive } from "./chain-archive.js";
import { agree, askIdentity } from "./identity.js";
import { NotArchivedError } from "./offline-client.js";

/** A network's name, and the chain of the archive that it last stood for. */
export interface ArchivedNetwork extends ChainIdentity {
  readonly network: string;
  /** Relative to the archive. */
  readonly folder: string;
}

/** The archive of a chain, and the chain's identity. */
export interface OpenedArchive {
  readonly archive: ChainArchive;
  readonly identity: ChainIdentity;
}

/** The list of networks, in the archive's folder. */
export const networksFile = "networks.jsonl";

/**
 * Opens the archive of a network's chain. Asks the node for its chain if the network is new to the archive or is a
 * local chain.
 * @param client the node; `undefined` if none may be asked
 * @param cachedBytes see `ChainArchiveOptions`
 * @throws NotArchivedError without a node, for an unknown network; ChainError if the node does not answer
 */
export async function openArchive(
  files: ArchiveFiles,
  network: string,
  client: RpcClient | undefined,
  onDamage?: (why: string) => void,
  cachedBytes?: number,
): Promise<OpenedArchive> {
  const known = await archivedNetworks(files);
  const last = known.findLast((entry) => entry.network === network);
  const isTrusted = last && !localChainIds.has(last.chainId);
  const identity = client && !isTrusted ? await askIdentity(client) : last;
  if (!identity) throw new NotArchivedError(`the archive has nothing of the network "${network}"`);
  const same = known.findLast((entry) => agree(entry, identity));
  const folder = same?.folder ?? newFolder(identity);
  if (last?.folder !== folder) await remember(files, { network, folder, ...pick(identity) });
  const archive = await ChainArchive.open({
    files,
    folder,
    chainId: identity.chainId,
    onDamage,
    cachedBytes,
  });
  return { archive, identity: pick(identity) };
}

/** Whether a name in an archive's folder belongs to a chain's folder. */
export function isChainFolder(name: string): boolean {
  return /^\d{1,78}(-[0-9a-f]{8})?$/.test(name);
}

/** The networks of an archive, most recently used last. Skips lines that a crash has torn. */
export async function archivedNetworks(files: ArchiveFiles): Promise<readonly ArchivedNetwork[]> {
  const bytes = await files.read(networksFile);
  const text = new TextDecoder().decode(bytes ?? new Uint8Array());
  let known: readonly ArchivedNetwork[] = [];
  for (const line of text.split("\n")) {
    const read = readNetwork(line);
    if (typeof read === "string") known = known.filter(({ folder }) => folder !== read);
    else if (read) known = [...known, read];
  }
  return known;
}

/** Forgets which network names stood for the chain in a folder, as if they had never been used. */
export function forgetNetworks(files: ArchiveFiles, folder: string): Promise<void> {
  return files.append(networksFile, `\n${JSON.stringify({ forgotten: folder })}\n`);
}

/** The content of a line: a network, or the folder of a forgotten chain; `undefined` if it cannot be read. */
function readNetwork(line: string): ArchivedNetwork | string | undefined {
  if (line === "") return undefined;
  try {
    const { network, folder, chainId, first, forgotten } = JSON.parse(line) as Partial<ArchivedNetwork> & {
      readonly forgotten?: unknown;
    };
    if (typeof forgotten === "string") return forgotten;
    if (typeof network !== "string" || typeof chainId !== "string" || !/^\d{1,78}$/.test(chainId))
      return undefined;
    if (typeof folder !== "string" || !isChainFolder(folder)) return undefined;
    if (first === undefined) return { network, folder, chainId };
    if (!Number.isSafeInteger(first.number) || !/^0x[0-9a-f]{64}$/.test(first.hash)) return undefined;
    return { network, folder, chainId, first: { number: first.number, hash: first.hash } };
  } catch {
    return undefined;
  }
}

/**
 * A public chain's folder is named after its id. Many local chains may share an id, so their folders' names include
 * the hash of the first block: two that start at the same moment never share a folder.
 */
function newFolder({ chainId, first }: ChainIdentity): string {
  const isPublic = chainOfId(chainId) !== undefined && !localChainIds.has(chainId);
  return isPublic || !first ? chainId : `${chainId}-${first.hash.slice(2, 10)}`;
}

function remember(files: ArchiveFiles, entry: ArchivedNetwork): Promise<void> {
  return files.append(networksFile, `\n${JSON.stringify(entry)}\n`);
}

function pick({ chainId, first }: ChainIdentity): ChainIdentity {
  return { chainId, ...(first && { first }) };
}
