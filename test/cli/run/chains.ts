import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Anvil, Contract, RawReceipt } from "../../support/chain/anvil.js";
import { deployToken } from "../../support/chain/erc20.js";
import { compileContract } from "../../support/chain/solidity.js";
import {
  createPool,
  deployUniswap,
  mint,
  type Pool,
  swap,
  type Uniswap,
} from "../../support/chain/uniswap.js";
import { workplace } from "../harness.js";

const example = join(import.meta.dirname, "../../../examples/uniswap-v3");

/** Uniswap on a local chain with one pool and some swaps in it. */
export interface Traded {
  readonly uniswap: Uniswap;
  readonly factory: Contract;
  readonly pool: Pool;
  /** Receipts of the swaps, in order. */
  readonly swaps: readonly RawReceipt[];
}

export async function trade(anvil: Anvil, times: number): Promise<Traded> {
  const uniswap = await deployUniswap(anvil);
  const token = (symbol: string): Promise<Contract> =>
    deployToken(anvil, { name: symbol, symbol, decimals: 18, supply: 10n ** 30n });
  const pool = await createPool(anvil, uniswap, await token("AAA"), await token("BBB"));
  await mint(anvil, uniswap, pool);
  const swaps: RawReceipt[] = [];
  for (let time = 1; time <= times; time++) {
    swaps.push(await swap(anvil, uniswap, pool, BigInt(time) * 10n ** 15n));
  }
  return { uniswap, factory: uniswap.factory, pool, swaps };
}

/** A folder with the example's `subgraph.json` for this factory, with logging switched off. */
export function exampleFolder(factory: Contract): string {
  const cwd = workplace();
  cpSync(example, cwd, { recursive: true });
  const path = join(cwd, "subgraph.json");
  const config = JSON.parse(readFileSync(path, "utf8"));
  config.instances[0].address = factory.address;
  delete config.instances[1].enrich.options;
  writeFileSync(path, JSON.stringify(config, null, 2));
  return cwd;
}

const counterSource = `
contract Counter {
  event Counted(uint256 number);
  function count(uint256 number) external { emit Counted(number); }
  /// Reverts for odd numbers.
  function half(uint256 number) external pure returns (uint256) {
    require(number % 2 == 0);
    return number / 2;
  }
}
`;

/** Deploys a contract with `count(number)`, which emits `Counted(number)`, and `half(number)`, which may revert. */
export function deployCounter(anvil: Anvil): Promise<Contract> {
  const { abi, bytecode } = compileContract(counterSource, "Counter");
  return anvil.deploy(abi, bytecode);
}

/** A configuration that stores a value for every number counted. The value may read `calls.half`. */
export function counterConfig(
  contracts: Readonly<Record<string, Contract>>,
  value: string,
  options: { readonly debugging?: boolean } = {},
): string {
  const calls = { half: { name: "half", params: "event.params.number" } };
  const { abi } = compileContract(counterSource, "Counter");
  const instances = Object.entries(contracts).map(([chain, { address }]) => ({
    abi: "Counter",
    address,
    startBlock: 0,
    chain,
    enrich: {
      ...(options.debugging && { options: { debugging: true } }),
      handlers: {
        Counted: {
          ...(value.includes("calls.half") && { calls }),
          entities: { Note: { "value uint256": value } },
        },
      },
    },
  }));
  return JSON.stringify({ version: "1", name: "counts/1.0.0", abis: { Counter: abi }, instances }, null, 2);
}
