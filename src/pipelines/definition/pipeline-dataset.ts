import { findDataset, localDataset, UnknownDatasetError } from "../../datasets/catalog/find-dataset.js";
import type { Dataset } from "../../datasets/tables/dataset.js";

/** A dataset that a pipeline reads. */
export interface PipelineDataset {
  readonly dataset: Dataset;
  /** The name of its chain that configurations and archives use. */
  readonly network: string;
  /** Decimal digits; `undefined` for a chain on the user's machine. */
  readonly chainId: string | undefined;
  /** The current version, if the definition names one that graphloom does not have. */
  readonly instead?: { readonly version: string; readonly isNewer: boolean };
}

/**
 * Finds a dataset by its name. Besides public chains, those on the user's machine have datasets: `anvil.raw_logs`.
 * @param version the current one if absent. For another one with the same first number that graphloom does not have,
 * returns the current one.
 * @throws UnknownDatasetError
 */
export function pipelineDataset(name: string, version?: string): PipelineDataset {
  const current = datasetOf(name);
  if (version === undefined) return current;
  try {
    // Versions that are not current yet are found as well.
    return datasetOf(name, version);
  } catch (error) {
    const { version: latest } = current.dataset;
    const [asked, known] = [numbersOf(version), numbersOf(latest)];
    if (!(error instanceof UnknownDatasetError) || !asked || !known || asked.major !== known.major)
      throw error;
    const isNewer = asked.minor < known.minor || (asked.minor === known.minor && asked.patch < known.patch);
    return { ...current, instead: { version: latest, isNewer } };
  }
}

function datasetOf(name: string, version?: string): PipelineDataset {
  const local = localDataset(name, version);
  if (local) return { dataset: local.dataset, network: local.chain, chainId: undefined };
  const { dataset, chain } = findDataset(name, version);
  return { dataset, network: chain.network ?? chain.prefix, chainId: chain.chainId };
}

function numbersOf(version: string): Readonly<Record<"major" | "minor" | "patch", number>> | undefined {
  const [, major, minor, patch] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})$/.exec(version) ?? [];
  return major === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}
