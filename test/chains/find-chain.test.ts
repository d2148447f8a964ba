import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { chainRegistry } from "../../scripts/make-chain-registry.mjs";
import { chainNames, findChain, nearChain } from "../../src/chains/find-chain.js";
import { chainOfName } from "../../src/chains/look-up-chain.js";
import { networks } from "../../src/chains/networks.js";

const registryFile = new URL("../../src/chains/registry.ts", import.meta.url);

test("findChain has the registry that the script generates from the package", () => {
  expect(readFileSync(registryFile, "utf8")).toBe(chainRegistry());
});

test("findChain knows the explorers of chains, which are reached over https", () => {
  const explorers = networks.flatMap(({ explorer }) => explorer ?? []);
  expect(explorers.length).toBeGreaterThan(120);
  expect(explorers.filter((address) => !/^https:\/\/[\w.-]+(\/[\w-]+)*$/.test(address))).toEqual([]);
  expect(chainOfName("mainnet")?.explorer).toBe("https://etherscan.io");
});

test("findChain finds every chain by name and by number", () => {
  expect(chainNames.size).toBeGreaterThan(130);
  for (const name of chainNames) expect(findChain(name)).toBe(name);
  expect([...chainNames]).toEqual(expect.arrayContaining(["mainnet", "matic", "xdai", "mumbai", "poa-core"]));
  expect([...chainNames]).not.toEqual(expect.arrayContaining(["solana-mainnet-beta"]));
});

test.each([
  ["ethereum", "mainnet"],
  ["eth", "mainnet"],
  ["ethereum-mainnet", "mainnet"],
  ["Ethereum Mainnet", "mainnet"],
  ["homestead", "mainnet"],
  ["ethereum-sepolia", "sepolia"],
  ["polygon", "matic"],
  ["polygon-mainnet", "matic"],
  ["polygon-mumbai", "mumbai"],
  ["polygon-zkevm-mainnet", "polygon-zkevm"],
  ["arbitrum", "arbitrum-one"],
  ["arbitrum-mainnet", "arbitrum-one"],
  ["arbitrum_one", "arbitrum-one"],
  ["optimism-mainnet", "optimism"],
  ["OP Mainnet", "optimism"],
  ["bnb", "bsc"],
  ["binance", "bsc"],
  ["bsc-mainnet", "bsc"],
  ["bsc-testnet", "chapel"],
  ["gnosis", "xdai"],
  ["avax", "avalanche"],
  ["avalanche-fuji", "fuji"],
  ["zksync", "zksync-era"],
  ["zksync-mainnet", "zksync-era"],
  ["blast", "blast-mainnet"],
  ["1", "mainnet"],
  ["137", "matic"],
  ["eip155:137", "matic"],
  ["0x89", "matic"],
  ["evm-8453", "base"],
  ["hyperevm", "hyper-evm"],
  ["world-chain", "worldchain"],
])("findChain reads %j as %j", (written, name) => {
  expect(findChain(written)).toBe(name);
});

test.each([
  "mantle",
  "flare",
  "zetachain-testnet",
  "core",
  "bob",
  "metal",
  "mantra",
  "solana",
  "berachain-testnet",
  "linea-testnet-2",
  "expchain",
  "injective-evm-2",
  "polygon-testnet",
  "hyperliquid",
  "plume",
  "auroria",
  "core-testnet",
  "31337",
  "eip155:0",
  "my-private-chain",
  "testnet",
  "sepolia-mainnet",
  "constructor",
  "__proto__",
  "",
])("findChain finds neither a known chain nor a near match for %j", (written) => {
  expect([findChain(written), nearChain(written)]).toEqual([undefined, undefined]);
});

test.each([
  ["arbitum-one", "arbitrum-one"],
  ["optimsm", "optimism"],
  ["etherum", "mainnet"],
  ["mainet", "mainnet"],
  ["base-sepolai", "base-sepolia"],
  ["polygn", "matic"],
])("findChain finds for %j the near match %j", (written, name) => {
  expect([findChain(written), nearChain(written)]).toEqual([undefined, name]);
});
