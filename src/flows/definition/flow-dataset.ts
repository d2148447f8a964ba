import { localChains } from "../../chains/local-chains.js";
import { findDataset } from "../../datasets/catalog/find-dataset.js";
import type { Dataset } from "../../datasets/tables/dataset.js";
import { datasetNamed } from "../../datasets/tables/datasets.js";

/** A dataset that a flow reads. */
export interface FlowDataset {
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
export function flowDataset(name: string, version?: string): FlowDataset {
  const [prefix = "", kind = ""] = name.split(/\.(.*)/s);
  const local = localChains.has(prefix) ? datasetNamed(kind) : undefined;
  if (local && (version === undefined || version === local.version))
    return { dataset: local, network: prefix, chainId: undefined };
  const { dataset, chain } = findDataset(name, version);
  return { dataset, network: chain.network ?? chain.prefix, chainId: chain.chainId };
}
