import { localChains } from "../../../chains/local-chains.js";
import { chainOfPrefix } from "../../../chains/look-up-chain.js";

/**
 * The network of a dataset by its name: `mainnet` for `ethereum.raw_logs`; `undefined` if the chain is
 * unknown.
 */
export function networkOfDataset(name: string): string | undefined {
  const prefix = name.split(".")[0] ?? "";
  if (localChains.has(prefix)) return prefix;
  const chain = chainOfPrefix(prefix);
  return chain && (chain.network ?? chain.prefix);
}
