import { quoteForeign } from "../../base/text/quote-foreign.js";
import { datasetChain } from "../../datasets/catalog/dataset-chain.js";
import { findDataset, UnknownDatasetError } from "../../datasets/catalog/find-dataset.js";
import { datasetNamed, datasets } from "../../datasets/tables/datasets.js";
import type { ServedChain } from "./dataset-source.js";
import { type ServedKind, servedKinds } from "./messages.js";

/** A dataset that a server offers as files. */
export interface ServedDataset {
  readonly chain: ServedChain;
  readonly kind: ServedKind;
}

/** A server does not have a chain or dataset; the message lists the existing ones. */
export class UnservedError extends Error {
  override readonly name = "UnservedError";
}

/** The most blocks of a file: few where every receipt of a block is read. */
const mostBlocks: Readonly<Record<ServedKind, number>> = {
  raw_blocks: 1_000,
  raw_logs: 250,
  raw_transactions: 250,
};
/** The most blocks of a file with logs of one contract. */
const mostOfContract = 10_000;

/** The most blocks of a file. @param isOfContract whether it has logs of one contract only */
export function mostBlocksOf(kind: ServedKind, isOfContract: boolean): number {
  return isOfContract ? mostOfContract : mostBlocks[kind];
}

/** The datasets of a chain. */
export function datasetsOf({ name }: ServedChain): readonly {
  readonly name: string;
  readonly kind: ServedKind;
  readonly version: string;
}[] {
  return servedKinds.map((kind) => ({ name: `${name}.${kind}`, kind, version: datasets[kind].version }));
}

/**
 * The chain with a name.
 * @param chains the server's chains, by name
 * @throws UnservedError
 */
export function servedChain(chains: ReadonlyMap<string, ServedChain>, given: string): ServedChain {
  const found = chains.get(datasetChain(given)?.name ?? given);
  if (found) return found;
  const known = [...chains.keys()];
  throw new UnservedError(
    `This server has no node for ${quoteForeign(given)}. ${known.length === 0 ? "It has none for any chain with datasets." : `It has nodes for ${known.join(", ")}.`}`,
  );
}

/**
 * The dataset with a name or an alias.
 * @param name `ethereum.raw_logs`
 * @throws UnservedError
 */
export function servedDataset(chains: ReadonlyMap<string, ServedChain>, name: string): ServedDataset {
  const dot = name.indexOf(".");
  const [prefix, word] = [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)];
  const isLocal = datasetChain(prefix)?.chainId === undefined && chains.has(prefix);
  if (!isLocal) checkName(name);
  const chain = servedChain(chains, prefix);
  const kind = servedKinds.find((one) => one === datasetNamed(word)?.kind);
  if (kind) return { chain, kind };
  const advice =
    word === "decoded_logs" ? " To decode logs, take raw_logs: external-data sync decodes them for you." : "";
  throw new UnservedError(
    `Servers make files of ${servedKinds.join(", ")}, not of ${quoteForeign(word)}.${advice}`,
  );
}

/** @throws UnservedError with the catalogue's message about an unknown name */
function checkName(name: string): void {
  try {
    findDataset(name);
  } catch (error) {
    if (error instanceof UnknownDatasetError) throw new UnservedError(error.message);
    throw error;
  }
}
