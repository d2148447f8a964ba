import { chainOfName } from "../../chains/look-up-chain.js";

/** The address of a node in `--rpc`: `<chain>=<url>`, or the URL alone. */
export interface NodeOption {
  readonly chain?: string;
  readonly url: string;
}

/** Splits a value of `--rpc`. A `=` within the URL comes after its first colon. */
export function splitNodeOption(text: string): NodeOption {
  const [, chain, url] = /^([^=:/?]+)=(.*)$/s.exec(text) ?? [];
  return chain === undefined || url === undefined ? { url: text } : { chain, url };
}

/** The environment variable that holds the address of a chain's node: `GRAPHLOOM_RPC_ARBITRUM_ONE`. */
export function variableOf(chain: string): string {
  return `GRAPHLOOM_RPC_${chain.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

/** The chain that a name refers to, which may come from another vocabulary: `ethereum` for `mainnet`. */
export function meantChain(written: string, chains: readonly string[]): string | undefined {
  if (chains.includes(written)) return written;
  const meant = chainOfName(written);
  const same = meant === undefined ? [] : chains.filter((name) => chainOfName(name) === meant);
  return same.length === 1 ? same[0] : undefined;
}
