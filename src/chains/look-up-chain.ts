import type { Chain, Finality } from "./chain.js";
import { chains } from "./chains.js";
import { unknownFinality } from "./finality.js";
import { findChain } from "./find-chain.js";
import { feedAliases, otherPrefixes } from "./vocabularies.js";

const byPrefix = indexed(({ prefix }) => prefix);
const byNetwork = indexed(({ network }) => network);
const byBlockService = indexed(({ blockService }) => blockService);
const byFeed = indexed(({ feed }) => feed);
const byChainId = indexed(({ chainId }) => chainId);

function indexed(nameOf: (chain: Chain) => string | undefined): ReadonlyMap<string, Chain> {
  return new Map(
    chains.flatMap((chain) => {
      const name = nameOf(chain);
      return name === undefined ? [] : [[name, chain] as const];
    }),
  );
}

/**
 * The chain whose datasets have exactly this prefix: `ethereum`, but not `Ethereum` or `mainnet`. Services write test
 * networks with `_` or `-`.
 */
export function chainOfPrefix(prefix: string): Chain | undefined {
  return byPrefix.get(otherPrefixes.get(prefix) ?? prefix) ?? byPrefix.get(prefix.replaceAll("_", "-"));
}

/** The chain that the block service has under this name. It has `matic`, and refuses `polygon`. */
export function chainOfBlockService(name: string): Chain | undefined {
  return byBlockService.get(name);
}

/** The chain that the feeds have under this name or alias. They ignore case and read `-` as `_`. */
export function chainOfFeed(name: string): Chain | undefined {
  const bare = name.toLowerCase().replaceAll("-", "_");
  return byFeed.get(feedAliases.get(bare) ?? bare);
}

/** The chain with this id, in decimal digits. */
export function chainOfId(chainId: string): Chain | undefined {
  return byChainId.get(chainId);
}

/** How to determine the final blocks of the chain with this id. */
export function finalityOfId(chainId: string): Finality {
  return byChainId.get(chainId)?.finality ?? unknownFinality;
}

/**
 * The chain that a name of any vocabulary means, or an alias, a full name or an id, such as `polygon`, `Ethereum Mainnet`,
 * `arbitrum_one`, `8453` or `eip155:1`.
 * @returns `undefined` for an unknown or ambiguous name
 */
export function chainOfName(name: string): Chain | undefined {
  const network = findChain(name);
  if (network !== undefined) return byNetwork.get(network);
  const [, id] = /^(?:eip155:|evm-)?(\d+)$/.exec(name) ?? [];
  if (id !== undefined) return byChainId.get(id);
  const bare = name.toLowerCase();
  return byPrefix.get(bare) ?? chainOfBlockService(bare) ?? chainOfFeed(bare);
}
