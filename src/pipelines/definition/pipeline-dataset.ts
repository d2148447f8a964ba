import { findDataset, localDataset } from "../../datasets/catalog/find-dataset.js";
import { type Dataset, versionsOf } from "../../datasets/tables/dataset.js";

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
  const { dataset } = current;
  const [asked, latest] = [numbersOf(version), numbersOf(dataset.version)];
  if (versionsOf(dataset).includes(version) || !asked || !latest || asked.major !== latest.major)
    return datasetOf(name, version);
  const isNewer = asked.minor < latest.minor || (asked.minor === latest.minor && asked.patch < latest.patch);
  return { ...current, instead: { version: dataset.version, isNewer } };
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
