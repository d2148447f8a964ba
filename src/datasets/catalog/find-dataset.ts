import { quoteForeign } from "../../base/text/quote-foreign.js";
import { suggest } from "../../base/text/suggest.js";
import type { Chain } from "../../chains/chain.js";
import { isForeign } from "../../chains/find-chain.js";
import { localChains } from "../../chains/local-chains.js";
import { chainOfName, chainOfPrefix } from "../../chains/look-up-chain.js";
import { type Dataset, datasetAt, datasetKinds, versionsOf } from "../tables/dataset.js";
import { datasetNamed, datasets } from "../tables/datasets.js";
import { type CatalogEntry, entryOf, groups } from "./catalog.js";

/** No dataset has that name or version, or there is no such group. */
export class UnknownDatasetError extends Error {
  override readonly name = "UnknownDatasetError";
  /** What does not exist, without a final period. */
  readonly fact: string;
  /** What exists instead, as a sentence. */
  readonly advice: string;

  constructor(fact: string, advice: string) {
    super(`${fact}. ${advice}`);
    this.fact = fact;
    this.advice = advice;
  }
}

/** Longer names are not compared with known ones. */
const longestName = 100;

/** Shorter words are prefixes of too many names. */
const shortestStart = 3;

/** Tables that graphloom has under another name, and advice. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["receipts", "Receipts are columns of raw_transactions"],
  ["raw_receipts", "Receipts are columns of raw_transactions"],
]);

/**
 * Finds a dataset by its name or an alias.
 * @param name `<prefix of the chain>.<kind>`, such as `ethereum.raw_logs`
 * @param version the current one if absent
 * @throws UnknownDatasetError
 */
export function findDataset(name: string, version?: string): CatalogEntry {
  const dot = name.indexOf(".");
  if (dot === -1) throw unfinished(name);
  const [prefix, kind] = [name.slice(0, dot), name.slice(dot + 1)];
  const dataset = datasetNamed(kind);
  const chain = chainOfPrefix(prefix);
  if (!chain) throw unknownChain(name, prefix, kind);
  if (!dataset) throw unknownKind(chain, kind);
  const entry = entryOf(chain, datasetAt(dataset));
  if (version === undefined) return entry;
  if (entry.versions.includes(version)) return entryOf(chain, datasetAt(dataset, version));
  throw new UnknownDatasetError(
    `${entry.name} has no version ${quoteForeign(version)}`,
    `It has ${entry.versions.join(", ")}.`,
  );
}

/** A dataset of a local chain, such as `anvil.raw_logs`; `undefined` for other names and versions. */
export function localDataset(
  name: string,
  version?: string,
): { readonly chain: string; readonly dataset: Dataset } | undefined {
  const [chain = "", kind = ""] = name.split(/\.(.*)/s);
  const dataset = localChains.has(chain) ? datasetNamed(kind) : undefined;
  const isThere = dataset && (version === undefined || versionsOf(dataset).includes(version));
  return isThere ? { chain, dataset: datasetAt(dataset, version) } : undefined;
}

/**
 * Finds a group: a chain.
 * @param name its prefix, or another name of the chain
 * @throws UnknownDatasetError
 */
export function findGroup(name: string): Chain {
  const chain = chainOfPrefix(name) ?? chainOfName(name);
  if (chain) return chain;
  throw new UnknownDatasetError(
    `There is no group ${quoteForeign(name)}: groups are chains`,
    didYouMean(near(name, prefixes())) ?? "graphloom dataset list shows them all.",
  );
}

function unfinished(name: string): UnknownDatasetError {
  const chain = chainOfPrefix(name) ?? chainOfName(name);
  if (chain)
    return new UnknownDatasetError(
      `${quoteForeign(name)} is a chain`,
      `Add one of its datasets: ${namesOn(chain.prefix)}.`,
    );
  const [kind = "raw_logs"] = datasetNamed(name) ? [name] : near(name, kinds());
  const example = `ethereum.${datasetNamed(kind)?.kind}`;
  return new UnknownDatasetError(
    `${quoteForeign(name)} is not a dataset's name`,
    `Write the chain, a dot and the kind, such as ${example}.`,
  );
}

function unknownChain(written: string, prefix: string, writtenKind: string): UnknownDatasetError {
  const [nearKind = "raw_logs"] = near(writtenKind, kinds());
  const kind = datasetNamed(writtenKind)?.kind ?? datasetNamed(nearKind)?.kind;
  const chain = chainOfName(prefix);
  if (chain)
    return new UnknownDatasetError(
      `Datasets of ${chain.title} begin with ${chain.prefix}, not with ${quoteForeign(prefix)}`,
      `Write ${chain.prefix}.${kind}.`,
    );
  if (localChains.has(prefix))
    return new UnknownDatasetError(
      `There is no dataset ${quoteForeign(written)}`,
      `${prefix}, a chain on your machine, has ${datasetKinds.join(", ")}, each in its current version.`,
    );
  if (isForeign(prefix))
    return new UnknownDatasetError(
      `${quoteForeign(prefix)} is not an EVM chain`,
      "There are datasets of EVM chains only.",
    );
  const meant = near(prefix, prefixes()).map((name) => `${name}.${kind}`);
  const advice =
    didYouMean(meant) ??
    `No chain is called ${quoteForeign(prefix)}; graphloom dataset list shows all chains.`;
  return new UnknownDatasetError(`There is no dataset ${quoteForeign(written)}`, advice);
}

function unknownKind({ prefix }: Chain, kind: string): UnknownDatasetError {
  const moved = elsewhere.get(kind);
  const advice =
    moved === undefined ? didYouMean(near(kind, kinds()).map((name) => `${prefix}.${name}`)) : `${moved}.`;
  return new UnknownDatasetError(
    `${prefix} has no dataset ${quoteForeign(kind)}`,
    advice ?? `It has ${datasetKinds.join(", ")}.`,
  );
}

function prefixes(): readonly string[] {
  return groups.map(({ prefix }) => prefix);
}

/** All kinds and their aliases. */
function kinds(): readonly string[] {
  return Object.values(datasets).flatMap(({ kind, aliases }) => [kind, ...aliases]);
}

function namesOn(prefix: string): string {
  return datasetKinds.map((kind) => `${prefix}.${kind}`).join(", ");
}

/** The names that begin with a word, or else the most similar ones, within reason. */
function near(word: string, names: readonly string[]): readonly string[] {
  if (word.length > longestName) return [];
  const longer = word.length < shortestStart ? [] : names.filter((name) => name.startsWith(word));
  const found = longer.length > 0 ? longer : suggest(word, names, Math.max(1, Math.floor(word.length / 4)));
  return found.slice(0, 3);
}

function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.join(" or ")}?`;
}
