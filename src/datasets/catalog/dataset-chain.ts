import type { RootException } from "../../chains/chain.js";
import { localChains } from "../../chains/local-chains.js";
import { chainOfId, chainOfName } from "../../chains/look-up-chain.js";

/** A chain that has datasets: one of the catalogue, or a local one. */
export interface DatasetChain {
  /** The prefix of its datasets' names. */
  readonly name: string;
  /** The name in configurations and archives. */
  readonly network: string;
  /** Decimal digits; `undefined` for a local chain. */
  readonly chainId: string | undefined;
}

/** The chain with any of these names; `undefined` if it is neither known nor local. */
export function datasetChain(given: string): DatasetChain | undefined {
  const chain = chainOfName(given);
  if (chain) return { name: chain.prefix, network: chain.network ?? chain.prefix, chainId: chain.chainId };
  const bare = given.toLowerCase();
  return localChains.has(bare) ? { name: bare, network: bare, chainId: undefined } : undefined;
}

/**
 * What a chain's receipts roots do not cover, if known.
 * @param chainId decimal digits
 */
export function rootExceptionOf(chainId: string): RootException | undefined {
  return chainOfId(chainId)?.rootException;
}
