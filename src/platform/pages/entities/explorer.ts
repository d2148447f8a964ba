import { chainOfName } from "../../../chains/look-up-chain.js";

/** The addresses of a chain's explorer. All public explorers of EVM chains have the same paths (EIP-3091). */
export interface Explorer {
  address(account: string): string;
  transaction(hash: string): string;
  block(number: string): string;
}

/** The explorer of a network; `undefined` if unknown, as for a local chain. */
export function explorerOf(network: string): Explorer | undefined {
  const base = chainOfName(network)?.explorer;
  if (base === undefined) return undefined;
  return {
    address: (account) => `${base}/address/${account}`,
    transaction: (hash) => `${base}/tx/${hash}`,
    block: (number) => `${base}/block/${number}`,
  };
}
