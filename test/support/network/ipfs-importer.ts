import { MemoryBlockstore } from "blockstore-core";
import { importBytes, importer } from "ipfs-unixfs-importer";
import { fixedSize } from "ipfs-unixfs-importer/chunker";
import { balanced } from "ipfs-unixfs-importer/layout";

/** The chunking of a file by an importer. */
export interface ImportOptions {
  readonly cidVersion: 0 | 1;
  readonly rawLeaves: boolean;
  readonly chunkSize: number;
  readonly links: number;
}

const ipfsAdd: ImportOptions = { cidVersion: 0, rawLeaves: false, chunkSize: 262_144, links: 174 };

/** The hash of a file according to IPFS's own importer, by default with the settings of `ipfs add`. */
export async function importedCid(bytes: Uint8Array, options: Partial<ImportOptions> = {}): Promise<string> {
  const { cid } = await importBytes(bytes, new MemoryBlockstore(), settings(options));
  return cid.toString();
}

/** The output of `ipfs add` for a file with a path: the file first, then its folders, innermost first. */
export async function importedEntries(
  path: string,
  bytes: Uint8Array,
  options: Partial<ImportOptions> = {},
): Promise<readonly { readonly path: string; readonly cid: string; readonly size: number }[]> {
  const entries: { path: string; cid: string; size: number }[] = [];
  const source = [{ path, content: bytes }];
  for await (const entry of importer(source, new MemoryBlockstore(), settings(options))) {
    entries.push({ path: entry.path ?? "", cid: entry.cid.toString(), size: Number(entry.size) });
  }
  return entries;
}

function settings(options: Partial<ImportOptions>): object {
  const { cidVersion, rawLeaves, chunkSize, links } = { ...ipfsAdd, ...options };
  return {
    cidVersion,
    rawLeaves,
    chunker: fixedSize({ chunkSize }),
    layout: balanced({ maxChildrenPerNode: links }),
  };
}
