// Configurations to measure with.
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const uniswap = join(root, "examples/uniswap-v3/subgraph.json");

const installed = (path) => ({ path: join(root, "node_modules", path) });

/** Ten contracts that have nothing to do with each other. */
const abis = {
  Pair: installed("@uniswap/v2-core/build/UniswapV2Pair.json"),
  Pool: installed("@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json"),
  Positions: installed(
    "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
  ),
  MasterChef: installed("@sushiswap/core/build/abi/MasterChef.json"),
  Nouns: installed("@nouns/contracts/dist/abi/contracts/NounsToken.sol/NounsToken.json"),
  Auction: installed("@nouns/contracts/dist/abi/contracts/NounsAuctionHouse.sol/NounsAuctionHouse.json"),
  Staking: installed("@0x/contract-artifacts/lib/artifacts/Staking.json"),
  Exchange: installed("@0x/contract-artifacts/lib/artifacts/Exchange.json"),
  Timelock: installed("@openzeppelin/contracts/build/contracts/TimelockController.json"),
  Collectible: installed("openzeppelin-contracts-3/build/contracts/ERC1155PresetMinterPauser.json"),
};

export function tenAbis() {
  return {
    version: "1",
    name: "ten/1.0.0",
    abis,
    instances: Object.keys(abis).map((abi, index) => instance(abi, index, "mainnet")),
  };
}

/** Tokens, spread evenly over the chains. */
export function tokens(count, chains) {
  return {
    version: "1",
    name: "many/1.0.0",
    abis: { ERC20: { path: join(root, "examples/erc20-multichain/abis/ERC20.json") } },
    instances: Array.from({ length: count }, (_, index) =>
      instance("ERC20", index, chains[index % chains.length]),
    ),
  };
}

function instance(abi, index, chain) {
  return { abi, address: `0x${(index + 1).toString(16).padStart(40, "0")}`, startBlock: index, chain };
}
