import { findDataset, localDataset } from "../../datasets/catalog/find-dataset.js";
import type { Dataset } from "../../datasets/tables/dataset.js";

/** A dataset that a pipeline reads. */
export interface PipelineDataset {
  readonly dataset: Dataset;
  /** The name of its chain that configurations and archives use. */
  readonly network: string;
  /** Decimal digits; `undefined` for a chain on the user's machine. */
  readonly chainId: string | undefined;
}

/**
 * Finds a dataset by its name. Besides public chains, those on the user's machine have datasets: `anvil.raw_logs`.
 * @param version the current one if absent
 * @throws UnknownDatasetError
 */
export function pipelineDataset(name: string, version?: string): PipelineDataset {
  const local = localDataset(name, version);
  if (local) return { dataset: local.dataset, network: local.chain, chainId: undefined };
  const { dataset, chain } = findDataset(name, version);
  return { dataset, network: chain.network ?? chain.prefix, chainId: chain.chainId };
}
