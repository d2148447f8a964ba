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
  "ethereum",
  "arbitrum",
  "base",
  "optimism",
  "robinhood",
  "linea",
  "blast-mainnet",
  "worldchain",
  "scroll",
  "zksync",
  "sepolia",
  "holesky",
  "hoodi",
  "arbitrum-sepolia",
  "base-sepolia",
  "anvil",
  "hardhat",
  "foundry",
  "ganache",
  "localhost",
  "local",
  "localnet",
  "dev",
  "development",
]);

/** The native coin of a chain, if known without an import. It has a price once its id has one. */
export function nativeTokenOf(chain: string): TokenFacts | undefined {
  const other = others.get(chain);
  if (!other && !ether.has(chain)) return undefined;
  const [symbol, name] = other ?? ["ETH", "Ether"];
  return {
    chain,
    token: nativeToken,
    symbol,
    name,
    decimals: 18,
    logoUrl: null,
    canonicalId: symbol === "USDC" ? "usd-coin" : name.toLowerCase().replaceAll(" ", "-"),
    isStable: symbol === "USDC",
    wrapsNative: null,
    overrides: false,
  };
}

/** Wrapped native coins that emit no transfer when coins are wrapped or unwrapped, like the original WETH. */
const wrapped: ReadonlyMap<string, string> = new Map([
  ["ethereum", "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"],
  ["optimism", "0x4200000000000000000000000000000000000006"],
  ["base", "0x4200000000000000000000000000000000000006"],
  ["worldchain", "0x4200000000000000000000000000000000000006"],
  ["base-sepolia", "0x4200000000000000000000000000000000000006"],
  ["linea", "0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f"],
  ["sepolia", "0xfff9976782d46cc05630d1f6ebab18b2324d6b14"],
  ["matic", "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270"],
  ["bsc", "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c"],
  ["avalanche", "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7"],
  ["gnosis", "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d"],
  ["fantom", "0x21be370d5312f44cb42ce377bc9b8a0cef1a4c83"],
]);

/** The wrapped native coin of a chain, if known without an import. It has the price of the native coin. */
export function wrappedNativeOf(chain: string): TokenFacts | undefined {
  const token = wrapped.get(chain);
  const native = nativeTokenOf(chain);
  if (token === undefined || !native) return undefined;
  return { ...native, token, symbol: null, name: null, isStable: false, wrapsNative: true };
}
