import { chainOfName } from "../../chains/look-up-chain.js";
import { type SourceKind, type SourcePlace, sourceKinds } from "../../runtime/sources/create-source.js";
import { isWebAddress } from "../../web/http/address.js";
import type { Named } from "../named/find-named.js";
import { splitNodeOption, variableOf } from "../reader/node-option.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** How messages call the chains, and what nodes are for. */
export interface NodeWords {
  readonly purpose: string;
  readonly chains: string;
}

const ofConfiguration: NodeWords = { purpose: "to index from", chains: "Chains in the configuration" };
const ofSubgraph: NodeWords = { purpose: "to index from", chains: "Chains of the subgraph" };
/** For commands that index the subgraph that a word names. */
export function wordsFor({ kind }: Pick<Named, "kind">): NodeWords {
  return kind === "configuration" ? ofConfiguration : ofSubgraph;
}
/** For commands that read chains without a configuration. */
export const ofReading: NodeWords = { purpose: "to read from", chains: "Chains to read" };

/**
 * Parses `--rpc <chain>=<url>`, or a bare URL when there is one chain. The default is an environment
 * variable: for the chain `arbitrum-one`, `GRAPHLOOM_RPC_ARBITRUM_ONE`. Addresses may contain keys, so no
 * message shows one.
 * @returns addresses by chain, in the order of the chains; chains without one are left out
 * @throws UsageError for an invalid URL, for a chain that is not among them, and when no chain has an
 * address
 */
export function findNodes(
  given: readonly string[],
  chains: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  words: NodeWords = ofConfiguration,
): ReadonlyMap<string, string> {
  const has = `${words.chains}: ${chains.join(", ")}`;
  const urls = new Map<string, string>();
  for (const text of given) {
    const { chain: written = chains.length === 1 ? chains[0] : undefined, url } = splitNodeOption(text);
    if (written === undefined)
      throw new UsageError(`Say which chain the node serves: --rpc <chain>=<url>. ${has}`);
    const chain = meantChain(written, chains);
    if (chain === undefined) throw new UsageError(`--rpc: unknown chain "${written}". ${has}`);
    if (urls.has(chain)) throw new UsageError(`--rpc is given twice for ${chain}.`);
    if (!isWebAddress(url))
      throw new UsageError(`--rpc: the address for ${chain} must start with http:// or https://`);
    urls.set(chain, url);
  }
  if (given.length === 0) {
    for (const chain of chains) {
      const url = environment[variableOf(chain)];
      if (!url) continue;
      if (!isWebAddress(url))
        throw new UsageError(`${variableOf(chain)} must start with http:// or https://`);
      urls.set(chain, url);
    }
  }
  if (urls.size === 0) {
    const [first = ""] = chains;
    throw new UsageError(
      `No node ${words.purpose}. Pass --rpc ${first}=<url>, or set ${variableOf(first)}. ${has}`,
    );
  }
  const inOrder = chains.flatMap((chain) => {
    const url = urls.get(chain);
    return url === undefined ? [] : [[chain, url] as const];
  });
  return new Map(inOrder);
}

/** The chain that a name refers to, which may come from another vocabulary: `ethereum` for `mainnet`. */
function meantChain(written: string, chains: readonly string[]): string | undefined {
  if (chains.includes(written)) return written;
  const meant = chainOfName(written);
  const same = meant === undefined ? [] : chains.filter((name) => chainOfName(name) === meant);
  return same.length === 1 ? same[0] : undefined;
}

const isKind = (word: string | undefined): word is SourceKind =>
  word !== undefined && (sourceKinds as readonly string[]).includes(word);

/**
 * Parses `--source <chain>=<kind>=<url>`, or `--source <kind>=<url>` when there is one chain. Addresses may contain keys, so
 * no message shows one.
 * @param env has the token of HyperSync, under our name or the one of its own tools
 * @returns the sources by chain
 * @throws UsageError for another kind of source, an invalid URL, and a chain that is not among them
 */
export function findSources(
  given: readonly string[],
  chains: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, SourcePlace> {
  const sources = new Map<string, SourcePlace>();
  const has = `Chains: ${chains.join(", ")}`;
  const token = env.GRAPHLOOM_HYPERSYNC_TOKEN || env.ENVIO_API_TOKEN || undefined;
  for (const text of given) {
    const { chain: first, url: rest } = splitNodeOption(text);
    if (first === undefined) throw new UsageError(`--source: pass <chain>=<kind>=<url>. ${has}`);
    const { chain: kind, url } = isKind(first) ? { chain: first, url: rest } : splitNodeOption(rest);
    const chain = isKind(first) ? chains.length === 1 && chains[0] : first;
    if (!isKind(kind))
      throw new UsageError(
        `--source: pass <chain>=<kind>=<url>. The kinds of sources are ${sourceKinds.join(" and ")}.`,
      );
    if (!chain) throw new UsageError(`--source: say which chain it serves: <chain>=${kind}=<url>. ${has}`);
    if (!chains.includes(chain)) throw new UsageError(`--source: unknown chain "${chain}". ${has}`);
    if (sources.has(chain)) throw new UsageError(`--source is given twice for ${chain}.`);
    if (!isWebAddress(url))
      throw new UsageError(`--source: the address for ${chain} must start with http:// or https://`);
    sources.set(chain, { kind, url, ...(kind === "hypersync" && token !== undefined && { token }) });
  }
  return sources;
}
