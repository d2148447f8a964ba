/** Prefixes of datasets that differ from graph-node's name of the network, which comes first. */
export const prefixes: ReadonlyMap<string, string> = new Map([
  ["mainnet", "ethereum"],
  ["arbitrum-one", "arbitrum"],
  ["xdai", "gnosis"],
  ["zksync-era", "zksync"],
]);

/** The block service's names of networks of graph-node. */
export const blockServiceNames: ReadonlyMap<string, string> = new Map([
  ["apechain", "apechain"],
  ["arbitrum-sepolia", "arbitrum-sepolia"],
  ["base", "base"],
  ["blast-mainnet", "blast"],
  ["bsc", "bsc"],
  ["celo", "celo"],
  ["gravity-mainnet", "gravity"],
  ["linea", "linea"],
  ["mainnet", "ethereum"],
  ["matic", "matic"],
  ["optimism", "optimism"],
  ["sei-mainnet", "sei"],
  ["xai", "xai"],
  ["xlayer-mainnet", "xlayer"],
]);

/** The feeds' canonical names of networks of graph-node. */
export const feedNames: ReadonlyMap<string, string> = new Map([
  ["arbitrum-one", "arbitrum_one"],
  ["base", "base"],
  ["bsc", "bsc"],
  ["mainnet", "ethereum"],
  ["matic", "polygon"],
  ["optimism", "optimism"],
]);

/** Other names that the feeds accept, and the canonical ones. */
export const feedAliases: ReadonlyMap<string, string> = new Map([
  ["arbitrum", "arbitrum_one"],
  ["mainnet", "ethereum"],
  ["matic", "polygon"],
]);

/** A chain that the block service or the feeds have, but graph-node does not. */
export interface FurtherChain {
  readonly name: string;
  readonly title: string;
  readonly chainId: string;
  /** Where the name is used. */
  readonly names: readonly ("blockService" | "feed")[];
}

/** Chains that the block service or the feeds have, but graph-node does not. */
export const furtherChains: readonly FurtherChain[] = [
  { name: "arc", title: "Arc", chainId: "5042", names: ["feed"] },
  { name: "flare", title: "Flare", chainId: "14", names: ["blockService"] },
  { name: "hyperevm", title: "HyperEVM", chainId: "999", names: ["blockService"] },
  { name: "plasma", title: "Plasma", chainId: "9745", names: ["blockService"] },
  { name: "plume", title: "Plume", chainId: "98866", names: ["blockService"] },
  { name: "reya", title: "Reya Network", chainId: "1729", names: ["blockService"] },
  { name: "robinhood", title: "Robinhood Chain", chainId: "4663", names: ["blockService", "feed"] },
  { name: "worldchain", title: "World Chain", chainId: "480", names: ["blockService"] },
];
