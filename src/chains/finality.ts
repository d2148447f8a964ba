import type { Finality } from "./chain.js";

/**
 * How far behind the head a block counts as final, by default. graph-node keeps 250 blocks revertible
 * (`ETHEREUM_REORG_THRESHOLD`); no chain without the tag is known to replace more.
 */
export const usualDepth = 256;

/*
 * Each group names its source, looked up in November 2026. graph-node's names, or the datasets' where it has none.
 * "Chainlink" is the settings of its nodes for each chain (smartcontractkit/chainlink-evm, FinalityTagEnabled).
 */

/** Networks whose nodes answer the block tag "finalized" with a block that no reorganisation replaces. */
const tagged: ReadonlySet<string> = new Set([
  // Proof of stake with Ethereum's beacon chain: the tag is part of ethereum/execution-apis. The Graph's registry lists
  // the consensus layer of each.
  "mainnet",
  "sepolia",
  "holesky",
  "hoodi",
  "goerli",
  "xdai",
  "gnosis-chiado",
  // OP Stack: derived from a final block of the parent chain. Membership: wevm/viem, Chainlink, docs.celo.org.
  "optimism",
  "optimism-sepolia",
  "optimism-goerli",
  "base",
  "base-sepolia",
  "base-goerli",
  "bnb-op",
  "blast-mainnet",
  "blast-testnet",
  "celo",
  "celo-alfajores",
  "celo-sepolia",
  "fraxtal",
  "hashkeychain",
  "hashkeychain-sepolia",
  "hemi",
  "hemi-sepolia",
  "ink",
  "ink-sepolia",
  "mode-mainnet",
  "mode-sepolia",
  "soneium",
  "soneium-testnet",
  "swellchain",
  "swellchain-sepolia",
  "unichain",
  "unichain-testnet",
  "worldchain",
  "zora",
  // Arbitrum Nitro since 2.0.10: posted in a final block of the parent chain (docs.arbitrum.io, "Finality and chain
  // reorganizations"). Orbit chains: docs.camelot.exchange; Robinhood Chain: quicknode.com.
  "arbitrum-one",
  "arbitrum-nova",
  "arbitrum-sepolia",
  "arbitrum-goerli",
  "apechain",
  "apechain-curtis",
  "corn",
  "corn-testnet",
  "gravity-mainnet",
  "plume",
  "reya",
  "robinhood",
  "xai",
  // ZK Stack: executed in a final block of the parent chain (matter-labs/zksync-era). Membership: wevm/viem.
  "abstract",
  "abstract-testnet",
  "zksync-era",
  "zksync-era-sepolia",
  "zksync-era-testnet",
  // Other rollups: docs.linea.build, scroll-tech/go-ethereum, MetisProtocol/mvm.
  "linea",
  "linea-sepolia",
  "scroll",
  "scroll-sepolia",
  "metis",
  // Votes of validators: bnb-chain/bsc, 0xPolygon/bor (milestones, PIP-11), Chainlink (Ronin, Botanix), docs.monad.xyz,
  // Zilliqa/zq2, java-tron's documentation (solidified blocks).
  "bsc",
  "chapel",
  "matic",
  "mumbai",
  "polygon-amoy",
  "ronin",
  "botanix",
  "botanix-testnet",
  "monad",
  "monad-testnet",
  "zilliqa",
  "zilliqa-testnet",
  "tron-evm",
  // Consensus without reorganisations, where the tag names the last block: ava-labs/coreth (Flare's nodes derive from
  // it), crypto-org-chain/ethermint, sei-protocol/sei-chain, kaiachain/kaia, iotexproject/iotex-core, 0xsoniclabs/sonic.
  "avalanche",
  "fuji",
  "flare",
  "cronos",
  "sei-mainnet",
  "sei-atlantic",
  "kaia",
  "kaia-testnet",
  "iotex",
  "iotex-testnet",
  "sonic",
  "sonic-testnet",
]);

/** Networks whose nodes refuse the tag. */
const untagged: ReadonlySet<string> = new Set([
  // The source code of these nodes does not know the word: Fantom-foundation/go-opera (issue 374),
  // harmony-one/harmony, BuildOnViction/victionchain. rsksmart/rskj knows the word, but no block for it; Chainlink
  // waits 20 blocks there.
  "fantom",
  "fantom-testnet",
  "harmony",
  "viction",
  "rootstock",
  "rootstock-testnet",
  // "Not supported yet" in the documentation of matter-labs/zksync-os-server.
  "zksync-os-devnet",
]);

/** Networks where `usualDepth` is too little: Chainlink waits for 500 blocks. */
const depths: ReadonlyMap<string, number> = new Map([
  ["polygon-zkevm", 500],
  ["polygon-zkevm-cardona", 500],
  ["xlayer-mainnet", 500],
  ["xlayer-sepolia", 500],
]);

/** The assumption about a chain that the registry does not know, such as a private one. */
export const unknownFinality: Finality = { by: "unknown", depth: usualDepth };

/**
 * How to determine the final blocks of a network.
 * @param name graph-node's name, or the datasets' if it has none
 */
export function finalityOf(name: string): Finality {
  const by = tagged.has(name) ? "tag" : untagged.has(name) ? "depth" : "unknown";
  return { by, depth: depths.get(name) ?? usualDepth };
}

/** All networks with known finality. */
export const knownFinality: readonly string[] = [...tagged, ...untagged, ...depths.keys()];
