import { nativeToken } from "../chains/native-token.js";
import type { TokenFacts } from "./catalog-rows.js";

/** The native coins of chains whose coin is not ether. */
const others: ReadonlyMap<string, readonly [symbol: string, name: string]> = new Map([
  ["arc", ["USDC", "USDC"]],
  ["avalanche", ["AVAX", "Avalanche"]],
  ["bsc", ["BNB", "BNB"]],
  ["celo", ["CELO", "Celo"]],
  ["fantom", ["FTM", "Fantom"]],
  ["gnosis", ["XDAI", "xDAI"]],
  ["hyperevm", ["HYPE", "Hyperliquid"]],
  ["matic", ["POL", "Polygon Ecosystem Token"]],
  ["sei", ["SEI", "Sei"]],
]);

/** Chains whose native coin is ether. */
const ether: ReadonlySet<string> = new Set([
  ...["ethereum", "arbitrum", "base", "optimism", "robinhood", "linea", "blast-mainnet", "worldchain"],
  ...["scroll", "zksync", "sepolia", "holesky", "hoodi", "arbitrum-sepolia", "base-sepolia"],
  ...["anvil", "hardhat", "foundry", "ganache", "localhost", "local", "localnet", "dev", "development"],
]);

/** The native coin of a chain, if it is known without being imported. It has a price once there is one of its id. */
export function nativeTokenOf(chain: string): TokenFacts | undefined {
  const other = others.get(chain);
  if (!other && !ether.has(chain)) return undefined;
  const [symbol, name] = other ?? ["ETH", "Ether"];
  return {
    ...{ chain, token: nativeToken, symbol, name, decimals: 18, logoUrl: null },
    canonicalId: symbol === "USDC" ? "usd-coin" : name.toLowerCase().replaceAll(" ", "-"),
    isStable: symbol === "USDC",
  };
}
