/**
 * Datasets of SQD's public Portal for EVM chains, by chain id. The names come from its catalog of August 2026, and the ids
 * from SQD's list of networks.
 */
const portalDatasets: ReadonlyMap<string, string> = new Map(
  `
1 ethereum-mainnet
10 optimism-mainnet
14 flare-mainnet
56 binance-mainnet
97 binance-testnet
100 gnosis-mainnet
130 unichain-mainnet
137 polygon-mainnet
143 monad-mainnet
146 sonic-mainnet
169 manta-pacific
196 xlayer-mainnet
204 opbnb-mainnet
300 zksync-sepolia
324 zksync-mainnet
592 astar-mainnet
999 hyperliquid-mainnet
1088 metis-mainnet
1101 polygon-zkevm-mainnet
1116 core-mainnet
1284 moonbeam-mainnet
1285 moonriver-mainnet
1301 unichain-sepolia
1625 galxe-gravity
1868 soneium-mainnet
2741 abstract-mainnet
5000 mantle-mainnet
5003 mantle-sepolia
8333 b3-mainnet
8453 base-mainnet
9745 plasma-mainnet
10143 monad-testnet
34443 mode-mainnet
42161 arbitrum-one
42170 arbitrum-nova
42220 celo-mainnet
42793 etherlink-mainnet
43113 avalanche-testnet
43114 avalanche-mainnet
57073 ink-mainnet
59144 linea-mainnet
60808 bob-mainnet
80002 polygon-amoy-testnet
80094 berachain-mainnet
81457 blast-l2-mainnet
84532 base-sepolia
98866 plume-mainnet
167000 taiko-mainnet
421614 arbitrum-sepolia
534351 scroll-sepolia
534352 scroll-mainnet
763373 ink-sepolia
7777777 zora-mainnet
11155111 ethereum-sepolia
11155420 optimism-sepolia
168587773 blast-sepolia
999999999 zora-sepolia
`
    .trim()
    .split("\n")
    .map((line) => line.split(" ") as [string, string]),
);

/** The address of a chain at SQD's public Portal, which needs no key. @param chainId decimal digits */
export function publicPortalOf(chainId: string): string | undefined {
  const dataset = portalDatasets.get(chainId);
  return dataset === undefined ? undefined : `https://portal.sqd.dev/datasets/${dataset}`;
}

/** The address of a chain at Envio's HyperSync, which has a host for each chain it serves. @param chainId decimal digits */
export function publicHyperSyncOf(chainId: string): string {
  return `https://${chainId}.hypersync.xyz`;
}
