import type { ArchiveFiles } from "./archive-files.js";
import { archivedNetworks, isChainFolder, networksFile } from "./open-archive.js";
import { type Manifest, manifestOf } from "./segments/manifest.js";

/** A chain of an archive, and its manifest. */
export interface KeptChain {
  /** Relative to the archive. */
  readonly folder: string;
  readonly chainId: string;
  /** Names that have stood for it, sorted. */
  readonly networks: readonly string[];
  readonly manifest: Manifest;
}

/** A file that no line of a manifest lists. */
export interface UnlistedFile {
  /** Relative to the folder of the chain. */
  readonly path: string;
  /** Whether the archive uses such names: then a crash has left the file, or it is being written. */
  readonly isOurs: boolean;
}

const tableFolders = ["blocks", "transactions", "logs", "claims", "answers"];

/** The chains of an archive, by id; `undefined` if the folder is missing or not an archive. */
export async function keptChains(files: ArchiveFiles): Promise<readonly KeptChain[] | undefined> {
  const networks = await archivedNetworks(files);
  const names = await files.list("");
  const folders = new Set([...names.filter(isChainFolder), ...networks.map(({ folder }) => folder)]);
  if (folders.size === 0 && !names.includes(networksFile)) return undefined;
  const chains: KeptChain[] = [];
  for (const folder of folders) {
    const own = networks.filter((network) => network.folder === folder).map(({ network }) => network);
    const manifest = await manifestOf(files, folder);
    const chain = { folder, chainId: idOf(folder), networks: [...new Set(own)].sort(), manifest };
    // A completely pruned chain leaves an empty folder.
    const isThere = own.length > 0 || manifest.segments.length > 0;
    if (isThere || (await unlistedFiles(files, chain)).length > 0) chains.push(chain);
  }
  return chains.sort(byId);
}

/** Files of a chain that its manifest does not list. */
export async function unlistedFiles(
  files: ArchiveFiles,
  { folder, manifest }: Pick<KeptChain, "folder" | "manifest">,
): Promise<readonly UnlistedFile[]> {
  const listed = new Set(manifest.segments.flatMap((segment) => segment.files.map(({ path }) => path)));
  const unlisted: UnlistedFile[] = [];
  for (const table of tableFolders) {
    for (const name of await files.list(`${folder}/${table}`)) {
      const path = `${table}/${name}`;
      if (!listed.has(path)) unlisted.push({ path, isOurs: ownName.test(name) });
    }
  }
  return unlisted;
}

const ownName = /^\d+-\d+-[0-9a-f]{16}\.parquet(?:\.[0-9a-f]+\.tmp)?$/;

function idOf(folder: string): string {
  return folder.replace(/-.*$/, "");
}

function byId(one: KeptChain, other: KeptChain): number {
  const [a, b] = [BigInt(one.chainId), BigInt(other.chainId)];
  return a < b ? -1 : a > b ? 1 : one.folder < other.folder ? -1 : 1;
}
