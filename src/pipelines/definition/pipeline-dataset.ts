import { findDataset, localDataset, UnknownDatasetError } from "../../datasets/catalog/find-dataset.js";
import type { Dataset } from "../../datasets/tables/dataset.js";

/** A dataset that a pipeline reads. */
export interface PipelineDataset {
  readonly dataset: Dataset;
  /** The name of its chain that configurations and archives use. */
  readonly network: string;
  /** Decimal digits; `undefined` for a chain on the user's machine. */
  readonly chainId: string | undefined;
  /** The current version, if the definition names an older one that graphloom does not have. */
  readonly instead?: string;
}

/**
 * Finds a dataset by its name. Besides public chains, those on the user's machine have datasets: `anvil.raw_logs`.
 * @param version the current one if absent, or if it is older than all that graphloom has
 * @throws UnknownDatasetError
 */
export function pipelineDataset(name: string, version?: string): PipelineDataset {
  try {
    return datasetOf(name, version);
  } catch (error) {
    const current = error instanceof UnknownDatasetError ? currentVersion(name) : undefined;
    if (version === undefined || current === undefined || !isOlder(version, current)) throw error;
    return { ...datasetOf(name), instead: current };
  }
}

function datasetOf(name: string, version?: string): PipelineDataset {
  const local = localDataset(name, version);
  if (local) return { dataset: local.dataset, network: local.chain, chainId: undefined };
  const { dataset, chain } = findDataset(name, version);
  return { dataset, network: chain.network ?? chain.prefix, chainId: chain.chainId };
}

function currentVersion(name: string): string | undefined {
  try {
    return datasetOf(name).dataset.version;
  } catch (error) {
    if (error instanceof UnknownDatasetError) return undefined;
    throw error;
  }
}

/** Whether a version of three numbers precedes another with the same first number. */
function isOlder(version: string, current: string): boolean {
  const [major = 0, minor = 0, patch = 0] = numbersOf(version) ?? [-1];
  const [now = 0, nowMinor = 0, nowPatch = 0] = numbersOf(current) ?? [];
  return major === now && (minor < nowMinor || (minor === nowMinor && patch < nowPatch));
}

function numbersOf(version: string): readonly number[] | undefined {
  return /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(version) ? version.split(".").map(Number) : undefined;
}
