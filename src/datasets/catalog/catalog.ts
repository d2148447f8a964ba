import type { Chain } from "../../chains/chain.js";
import { chains } from "../../chains/chains.js";
import { type Dataset, datasetAt, datasetKinds, versionsOf } from "../tables/dataset.js";
import { datasets } from "../tables/datasets.js";

/** A dataset of one chain. */
export interface CatalogEntry {
  /** `ethereum.raw_logs` */
  readonly name: string;
  /** Other names: `ethereum.logs`. */
  readonly aliases: readonly string[];
  /** The current version, unless another one was requested. */
  readonly version: string;
  /** All versions, the current one first. Later ones have more columns. */
  readonly versions: readonly string[];
  /** The prefix of its chain: `ethereum`. */
  readonly group: string;
  readonly chain: Chain;
  readonly dataset: Dataset;
}

/** The chains in catalogue order: by prefix. Each chain is a group. */
export const groups: readonly Chain[] = [...chains].sort((a, b) => (a.prefix < b.prefix ? -1 : 1));

export function catalogOf(chain: Chain): readonly CatalogEntry[] {
  return datasetKinds.map((kind) => entryOf(chain, datasetAt(datasets[kind])));
}

export function entryOf(chain: Chain, dataset: Dataset): CatalogEntry {
  return { ...entryNames(chain.prefix, dataset), chain, dataset };
}

/** The names and versions of a dataset on the chain with a prefix. */
export function entryNames(prefix: string, dataset: Dataset): Omit<CatalogEntry, "chain" | "dataset"> {
  return {
    name: `${prefix}.${dataset.kind}`,
    aliases: dataset.aliases.map((alias) => `${prefix}.${alias}`),
    version: dataset.version,
    versions: versionsOf(datasets[dataset.kind]),
    group: prefix,
  };
}
