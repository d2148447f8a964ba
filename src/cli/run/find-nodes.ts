import { isWebAddress } from "../../web/http/address.js";
import type { Named } from "../named/find-named.js";
import { meantChain, splitNodeOption, variableOf } from "../reader/node-option.js";
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
