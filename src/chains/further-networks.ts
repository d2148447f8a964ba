/**
 * Networks that The Graph's networks registry has gained since the version of `registry.ts`, in its line format, from
 * version 0.7.111, looked up in November 2026. Remove a line when `registry.ts` has it.
 */
export const newerNetworks = `
arc-testnet|eip155:5042002|test|Arc|Arc Testnet||
arc|eip155:5042|main|Arc|Arc Mainnet||arc-mainnet
etherlink-shadownet|eip155:127823|test|Etherlink|Etherlink Shadownet Testnet||
hyper-evm|eip155:999|main|HyperEVM|HyperEVM Mainnet||hyper-evm-mainnet hyperevm
injective-evm|eip155:1776|main|Injective EVM|Injective EVM Mainnet||injective-evm-mainnet
katana-bokuto|eip155:737373|test|Katana|Katana Bokuto Testnet||
megaeth-timothy|eip155:6343|test|MegaETH|MegaETH Testnet V2||
megaeth|eip155:4326|main|MegaETH|MegaETH Mainnet||megaeth-mainnet
polkadot-testnet|eip155:420420417|test|Polkadot|Polkadot Testnet||
robinhood|eip155:4663|main|Robinhood Chain|Robinhood Chain Mainnet||robinhood-chain robinhood-mainnet
stable|eip155:988|main|Stable|Stable||stable-mainnet
tempo-moderato|eip155:42431|test|tempo|Tempo Moderato Testnet||
tempo|eip155:4217|main|tempo|Tempo Mainnet||tempo-mainnet
worldchain|eip155:480|main|WorldChain|World Chain Mainnet||worldchain-mainnet
`;

/**
 * Networks of graph-node that the registry no longer lists, in its line format; deployments still use them.
 * Ids are from ethereum-lists/chains and wevm/viem, looked up in November 2026.
 */
export const formerNetworks = `
arbitrum-goerli|eip155:421613|test|Arbitrum|Arbitrum Goerli Testnet|Goerli|
arbitrum-rinkeby|eip155:421611|test|Arbitrum|Arbitrum Rinkeby Testnet|Rinkeby|
base-goerli|eip155:84531|test|Base|Base Goerli Testnet|Goerli|
clover|eip155:1024|main|Clover|Clover Mainnet||
goerli|eip155:5|test|Ethereum|Ethereum Goerli Testnet|Goerli|eth-goerli
kovan|eip155:42|test|Ethereum|Ethereum Kovan Testnet|Kovan|
linea-goerli|eip155:59140|test|Linea|Linea Goerli Testnet|Goerli|
mumbai|eip155:80001|test|Polygon|Polygon Mumbai Testnet|Mumbai|maticmum matic-mumbai
optimism-goerli|eip155:420|test|Optimism|OP Goerli Testnet|Goerli|
optimism-kovan|eip155:69|test|Optimism|OP Kovan Testnet|Kovan|
poa-core|eip155:99|main|POA|POA Core||poa
poa-sokol|eip155:77|test|POA|POA Sokol Testnet|Sokol|
rinkeby|eip155:4|test|Ethereum|Ethereum Rinkeby Testnet|Rinkeby|
ropsten|eip155:3|test|Ethereum|Ethereum Ropsten Testnet|Ropsten|
scroll-goerli|eip155:534353|test|Scroll|Scroll Goerli Testnet|Goerli|
zksync-era-testnet|eip155:280|test|zkSync|zkSync Era Goerli Testnet|Goerli|
`;

/** Names of networks in explorers, wallets and libraries, by the registry's id. */
export const furtherNames: ReadonlyMap<string, string> = new Map([
  ["arbitrum-one", "arb arb1 arb-mainnet"],
  ["avalanche", "avax avax-mainnet avalanche-c"],
  ["bsc", "binance binance-smart-chain binance-mainnet bnb-chain bnb-smart-chain"],
  ["chapel", "binance-testnet bnb-chain-testnet"],
  ["fantom", "ftm"],
  ["fuji", "avax-fuji avalanche-testnet"],
  ["gnosis-chiado", "gnosis-testnet"],
  ["gnosis", "gnosis-chain"],
  ["mainnet", "homestead"],
  ["sepolia", "eth-sepolia"],
]);

/** The network names that deployments use, if they are older than the registry's. */
export const deployedAs: ReadonlyMap<string, string> = new Map([["gnosis", "xdai"]]);

/** Names of other networks that differ in one letter from a known one without being a misspelling. */
export const otherNetworks: ReadonlySet<string> = new Set([
  "auroria",
  "bronos",
  "chronos",
  "lumio",
  "metachain",
  "qmainnet",
]);
