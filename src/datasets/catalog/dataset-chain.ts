import type { RootException } from "../../chains/chain.js";
import { localChains } from "../../chains/local-chains.js";
import { chainOfId, chainOfName } from "../../chains/look-up-chain.js";

/** A chain that has datasets: one of the catalogue, or one on a developer's machine. */
export interface DatasetChain {
  /** The prefix of its datasets' names. */
  readonly name: string;
  /** The name that configurations use, and archives with them. */
  readonly network: string;
  /** Decimal digits; `undefined` for a chain on a developer's machine. */
  readonly chainId: string | undefined;
}

/** The chain with any of these names; `undefined` if it is neither known nor local. */
export function datasetChain(given: string): DatasetChain | undefined {
  const chain = chainOfName(given);
  if (chain) return { name: chain.prefix, network: chain.network ?? chain.prefix, chainId: chain.chainId };
  const bare = given.toLowerCase();
  return localChains.has(bare) ? { name: bare, network: bare, chainId: undefined } : undefined;
}

/** The data that receipts roots of a chain do not cover, if known. @param chainId decimal digits */
export function rootExceptionOf(chainId: string): RootException | undefined {
  return chainOfId(chainId)?.rootException;
}
