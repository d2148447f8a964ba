import { visible } from "../../base/text/visible.js";
import { openReadableChain, type ReadableChain } from "../../datasets/archive/readable-chain.js";
import { openArchiveFiles } from "../../machine/files/archive-files.js";
import { type OpenChainOptions, openClient } from "../../machine/open-chain.js";
import { countRequests, type RequestCounts } from "./count-requests.js";

/** Where to read a chain from: a node, an archive, or an archive first and a node for the rest. */
export interface ChainPlace {
  /** The chain's name in the manifest. */
  readonly network: string;
  /** The node's address; `undefined` when offline. */
  readonly url: string | undefined;
  /** The archive's folder, absolute, or its files. */
  readonly archive: Parameters<typeof openArchiveFiles>[0] | undefined;
}

export interface ChainReader extends ReadableChain {
  /** The number of requests sent to the node. */
  requests(): number;
  /** The requests sent to the node, by method. */
  counts(): RequestCounts | undefined;
}

/** Notices about an archive. Reading continues. */
export interface ArchiveNotes {
  /** A part of the archive is damaged and will be fetched again. */
  onDamage(why: string): void;
  /** The archive can no longer be written. @param place its folder; absent if it must not be shown */
  onTrouble(why: string, place: string | undefined): void;
  /** Nothing is added to the archive, because the node does not report the final block. May be called repeatedly. */
  onRefused(why: string): void;
}

/** The message about an archive that can no longer be written. */
export function unwritten(why: string, place: string | undefined): string {
  return `no longer writing to the archive${place === undefined ? "" : ` ${place}`}: ${why}. Run it again later to add what is missing`;
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
  const files = folder === undefined ? undefined : openArchiveFiles(folder);
  const place = files?.place === undefined ? undefined : visible(files.place);
  const onTrouble = (why: string): void => notes.onTrouble(why, place);
  const opened = await openReadableChain({ network, node, files, place, to, ...notes, onTrouble });
  return { ...opened, requests, counts };
}
