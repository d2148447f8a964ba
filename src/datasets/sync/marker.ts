import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";
import { agree } from "../archive/identity.js";
import type { DatasetKind } from "../tables/dataset.js";
import { areRangeProofs, type RangeProofs } from "./range-proofs.js";
import type { TableFiles } from "./table-files.js";

/** What a folder of table files contains, according to its marker. */
export interface Marker extends ChainIdentity {
  readonly dataset: DatasetKind;
  readonly version: string;
  /** Only logs of this contract, in lower case; all contracts if `null`. */
  readonly contract: string | null;
  /** The events to decode, each with its contract, if any; empty for raw data. */
  readonly events: readonly string[];
  readonly blocksPerFile: number;
  /** The proofs of files; absent in folders of earlier versions. */
  readonly proofs?: readonly RangeProofs[];
}

/** The name of the marker in the folder. Readers of the folder skip such names. */
export const markerName = "_graphloom.json";
/** The marker's name in earlier versions. */
export const formerMarkerName = "graphloom.json";

/** Advice if a folder does not record what it contains. */
export const emptyFolder = "Empty the folder, or move it away, before you run external-data sync again";

/** A folder contains something other than what should be written to it. */
export class StrangeFolderError extends Error {
  override readonly name = "StrangeFolderError";
}

/** Another process writes to the folder. */
export class FolderInUseError extends Error {
  override readonly name = "FolderInUseError";
}

export async function writeMarker(files: Pick<TableFiles, "write">, marker: Marker): Promise<void> {
  await files.write(markerName, new TextEncoder().encode(`${JSON.stringify(marker, null, 2)}\n`));
}

/** The text of a folder's marker, under either name; `undefined` if it has none. */
export async function markerIn(files: Pick<TableFiles, "read">): Promise<string | undefined> {
  return (await files.read(markerName)) ?? files.read(formerMarkerName);
}

/** @throws StrangeFolderError if it is not a marker */
export function readMarker(content: string): Marker {
  try {
    const read = JSON.parse(content) as Marker;
    const { chainId, first, dataset, version, contract, events, blocksPerFile, proofs } = read;
    const isWhole =
      typeof chainId === "string" &&
      (first === undefined || (Number.isSafeInteger(first.number) && typeof first.hash === "string")) &&
      typeof dataset === "string" &&
      typeof version === "string" &&
      (contract === null || typeof contract === "string") &&
      Array.isArray(events) &&
      (proofs === undefined || areRangeProofs(proofs)) &&
      Number.isSafeInteger(blocksPerFile) &&
      blocksPerFile > 0;
    if (isWhole) return read;
  } catch {
    // Refused below.
  }
  throw new StrangeFolderError(
    `its ${markerName} is damaged, so that it is not known what its files hold. ${emptyFolder}`,
  );
}

/**
 * @throws StrangeFolderError if a folder contains something other than requested; the message continues a sentence
 *   after the folder's name
 */
export function checkMarker(found: Marker, wanted: Marker): void {
  if (found.dataset !== wanted.dataset || found.version !== wanted.version)
    throw new StrangeFolderError(
      `it holds ${found.dataset} ${found.version}, not ${wanted.dataset} ${wanted.version}`,
    );
  if (found.chainId !== wanted.chainId)
    throw new StrangeFolderError(
      `it holds chain ${found.chainId}, but the node serves chain ${wanted.chainId}`,
    );
  if (!agree(found, wanted))
    throw new StrangeFolderError(
      "it holds a chain with the same id but a different first block, as a local chain has after a restart",
    );
  if (found.contract !== wanted.contract)
    throw new StrangeFolderError(
      `it holds logs of ${found.contract ?? "all contracts"}, not of ${wanted.contract ?? "all contracts"}`,
    );
  if (found.events.join("\n") !== wanted.events.join("\n"))
    throw new StrangeFolderError("its logs were decoded with different ABIs");
  if (found.blocksPerFile !== wanted.blocksPerFile)
    throw new StrangeFolderError(
      `its files have ${found.blocksPerFile} blocks each, not ${wanted.blocksPerFile} (pass --blocks-per-file ${found.blocksPerFile}, or omit it)`,
    );
}
