/** Prefixes of datasets that differ from graph-node's name of the network, which comes first. */
export const prefixes: ReadonlyMap<string, string> = new Map([
  ["mainnet", "ethereum"],
  ["arbitrum-one", "arbitrum"],
  ["xdai", "gnosis"],
  ["hyper-evm", "hyperevm"],
  ["zksync-era", "zksync"],
]);

/** Further prefixes of datasets, which services have beside the usual one. */
export const otherPrefixes: ReadonlyMap<string, string> = new Map([["scroll_mainnet", "scroll"]]);

/** The block service's names of networks of graph-node, as its interface lists them. */
export const blockServiceNames: ReadonlyMap<string, string> = new Map([
  ["apechain", "apechain"],
  ["arbitrum-sepolia", "arbitrum-sepolia"],
  ["base", "base"],
  ["blast-mainnet", "blast"],
  ["bsc", "bsc"],
  ["celo", "celo"],
  ["gravity-mainnet", "gravity"],
  ["hyper-evm", "hyperevm"],
  ["linea", "linea"],
  ["mainnet", "ethereum"],
  ["matic", "matic"],
  ["optimism", "optimism"],
  ["robinhood", "robinhood"],
  ["sei-mainnet", "sei"],
  ["worldchain", "worldchain"],
  ["xai", "xai"],
  ["xlayer-mainnet", "xlayer"],
]);

/** The feeds' canonical names of networks of graph-node, as their interface lists them. */
export const feedNames: ReadonlyMap<string, string> = new Map([
  ["arc", "arc"],
  ["arbitrum-one", "arbitrum_one"],
  ["base", "base"],
  ["bsc", "bsc"],
  ["mainnet", "ethereum"],
  ["matic", "polygon"],
  ["optimism", "optimism"],
  ["robinhood", "robinhood"],
]);

/** Other names that the feeds accept, and the canonical ones. */
export const feedAliases: ReadonlyMap<string, string> = new Map([
  ["arbitrum", "arbitrum_one"],
  ["mainnet", "ethereum"],
  ["matic", "polygon"],
]);

/** A chain that datasets, the block service or the feeds have, but graph-node does not. */
export interface FurtherChain {
  readonly name: string;
  readonly title: string;
  readonly chainId: string;
  /** Where the name is used, besides datasets. */
  readonly names: readonly ("blockService" | "feed")[];
}

/**
 * Chains that datasets, the block service or the feeds have, but graph-node does not. Ids are from wevm/viem and
 * ethereum-lists/chains, looked up in November 2026.
 */
export const furtherChains: readonly FurtherChain[] = [
  { name: "apex", title: "Proof of Play Apex", chainId: "70700", names: [] },
  { name: "flare", title: "Flare", chainId: "14", names: ["blockService"] },
  { name: "plasma", title: "Plasma", chainId: "9745", names: ["blockService"] },
  { name: "plume", title: "Plume", chainId: "98866", names: ["blockService"] },
  { name: "reya", title: "Reya Network", chainId: "1729", names: ["blockService"] },
];
