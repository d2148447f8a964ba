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
