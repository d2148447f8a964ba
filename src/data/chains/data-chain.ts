import type { Chain } from "../../chains/chain.js";
import { localChains } from "../../chains/local-chains.js";
import { chainOfBlockService, chainOfFeed, chainOfName, chainOfPrefix } from "../../chains/look-up-chain.js";

/** A chain of the data service, with its name in each vocabulary. */
export interface DataChain {
  /** The prefix of its datasets, which also names its tables: `ethereum`, `anvil`. */
  readonly name: string;
  readonly title: string;
  /** The name that configurations, `--rpc` and archives use. */
  readonly network: string;
  /** Decimal digits; `undefined` for a chain on the user's machine. */
  readonly chainId: string | undefined;
  /** The name below `/blocks`. A chain that the interface does not list has its own name there. */
  readonly blocksSlug: string;
  /** The name in the feeds. */
  readonly feedsSlug: string;
}

/** The chain family of all these chains, as named in the feeds. */
export const chainFamily = "evm";

/**
 * The chain that a name of any vocabulary means, or a chain on the user's machine.
 * @returns `undefined` for an unknown or ambiguous name
 */
export function dataChainOfName(name: string): DataChain | undefined {
  return localChains.has(name) ? localChain(name) : ofPublic(chainOfName(name));
}

/**
 * The chain of a network, as named in configurations. A chain that no vocabulary lists has this name in all of them.
 */
export function chainOfNetwork(network: string): DataChain {
  return dataChainOfName(network) ?? localChain(network);
}

/** The chain whose tables have this name. */
export function dataChainOfTables(name: string): DataChain | undefined {
  return localChains.has(name) ? localChain(name) : ofPublic(chainOfPrefix(name));
}

/**
 * The chain that a path below `/blocks` names. Accepts only the interface's own names, and prefixes of other chains.
 */
export function dataChainOfBlocks(slug: string): DataChain | undefined {
  if (localChains.has(slug)) return localChain(slug);
  const chain = ofPublic(chainOfBlockService(slug) ?? chainOfPrefix(slug));
  return chain?.blocksSlug === slug ? chain : undefined;
}

/** The chain that a name in the feeds means. Case does not matter, and `-` is read as `_`. */
export function dataChainOfFeeds(slug: string): DataChain | undefined {
  const bare = slug.toLowerCase();
  if (localChains.has(bare)) return localChain(bare);
  return ofPublic(chainOfFeed(bare) ?? chainOfPrefix(bare) ?? chainOfPrefix(bare.replaceAll("_", "-")));
}

function ofPublic(chain: Chain | undefined): DataChain | undefined {
  return (
    chain && {
      name: chain.prefix,
      title: chain.title,
      network: chain.network ?? chain.prefix,
      chainId: chain.chainId,
      blocksSlug: chain.blockService ?? chain.prefix,
      feedsSlug: chain.feed ?? chain.prefix.replaceAll("-", "_"),
    }
  );
}

function localChain(name: string): DataChain {
  return { name, title: name, network: name, chainId: undefined, blocksSlug: name, feedsSlug: name };
}
