import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatUnits } from "ethers";
import { beforeAll, describe, expect, it } from "vitest";
import type { Compilation } from "../../src/exports/index.js";
import { type Contract, type RawReceipt, useAnvil } from "../support/chain/anvil.js";
import { deployToken } from "../support/chain/erc20.js";
import {
  createPool,
  deployUniswap,
  mint,
  type Pool,
  swap,
  swapping,
  type Uniswap,
} from "../support/chain/uniswap.js";
import { buildConfig, type PlainEntity, type Ran, runOn } from "./harness.js";

const anvil = useAnvil();
let uniswap: Uniswap;
let pools: readonly Pool[];
let ran: Ran;
/** Receipts of everything that was done to the pools. */
const receipts: RawReceipt[] = [];

beforeAll(async () => {
  uniswap = await deployUniswap(anvil());
  const [one, two, three] = [await token("ONE", 18), await token("TWO", 6), await token("THREE", 8)];
  const first = await createPool(anvil(), uniswap, one, two);
  await act(mint(anvil(), uniswap, first));
  await act(swap(anvil(), uniswap, first, 10n ** 18n));
  const second = await createPool(anvil(), uniswap, two, three, { fee: 500 });
  await act(mint(anvil(), uniswap, second));
  const both = [
    swapping(anvil(), uniswap, first, 5n * 10n ** 17n),
    swapping(anvil(), uniswap, second, 10n ** 9n, "token1"),
  ];
  receipts.push(...(await anvil().inOneBlock([...both, ...both])));
  await act(swap(anvil(), uniswap, first, 3n * 10n ** 17n, "token1"));
  pools = [first, second];
  receipts.push(first.creation, second.creation);
  ran = await runOn(anvil(), await buildExample(uniswap.factory.address));
});

function token(symbol: string, decimals: number): Promise<Contract> {
  return deployToken(anvil(), { name: symbol, symbol, decimals, supply: 10n ** 40n });
}

async function act(sent: Promise<RawReceipt>): Promise<void> {
  receipts.push(await sent);
}

/** The shipped example, of the factory on the local chain. */
function buildExample(factory: string): Promise<Compilation> {
  const folder = join(import.meta.dirname, "../../examples/uniswap-v3");
  const { abis, instances } = JSON.parse(readFileSync(join(folder, "subgraph.json"), "utf8"));
  const read = ([name, { path }]: [string, { path: string }]) => [
    name,
    JSON.parse(readFileSync(join(folder, path), "utf8")),
  ];
  return buildConfig({
    abis: Object.fromEntries(Object.entries<{ path: string }>(abis).map(read)),
    instances: [{ ...instances[0], address: factory }, ...instances.slice(1)],
  });
}

/** What the receipts say of an event of any pool, by entity id. */
function events(name: string): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { transactionHash, blockNumber, logs } of receipts) {
    for (const log of logs) {
      const pool = pools.find(({ address }) => address === log.address.toLowerCase());
      const event = pool?.interface.parseLog({ topics: [...log.topics], data: log.data });
      if (event?.name !== name) continue;
      const plain = event.fragment.inputs.map(({ name: key, baseType, type }, index) => {
        const value: unknown = event.args[index];
        if (baseType === "address") return [key, String(value).toLowerCase()];
        return [key, /^u?int(?:8|16|24)$/.test(type) || type === "int32" ? Number(value) : value];
      });
      found.set(`${transactionHash}-${Number(log.logIndex)}`, {
        ...Object.fromEntries(plain),
        block_number: BigInt(blockNumber),
        contractId_: log.address.toLowerCase(),
        transactionHash_: transactionHash,
      });
    }
  }
  return found;
}

async function byId(type: string): Promise<ReadonlyMap<string, PlainEntity>> {
  return new Map((await ran.all(type)).map((entity) => [String(entity.id), entity]));
}

it("the runtime indexes Uniswap to the head without a failure", async () => {
  expect(ran.failure).toBeUndefined();
  expect((await ran.store.head())?.number).toBe(await anvil().blockNumber());
});

describe("pools", () => {
  it("indexes pools from the block of their creation", async () => {
    const created = (await ran.all("PoolCreated")).map(({ pool, block_number }) => [pool, block_number]);
    const wanted = pools.map(({ address, creation }) => [address, BigInt(creation.blockNumber)]);
    expect(new Set(created.map(String))).toEqual(new Set(wanted.map(String)));
    const started = await ran.all("Initialize");
    expect(started.map(({ contractId_ }) => contractId_).sort()).toEqual(
      pools.map(({ address }) => address).sort(),
    );
    expect((await ran.store.dataSources()).map(({ address }) => address)).toEqual(
      pools.map(({ address }) => address),
    );
  });

  it.each([
    "Initialize",
    "Mint",
    "Swap",
  ])("stores a %s for each one in the receipts, with the same values", async (name) => {
    const wanted = events(name);
    const found = await byId(name);
    expect(wanted.size).toBeGreaterThan(1);
    expect([...found.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [id, event] of wanted) expect(found.get(id)).toMatchObject(event);
  });
});

describe("reads of contracts", () => {
  it("reads tokens as of the block in which the pool was created", async () => {
    const found = await byId("Pool");
    for (const { address, token0, token1, fee, creation } of pools) {
      const block = Number(creation.blockNumber);
      const read = (contract: Contract, name: string) => anvil().view(contract, name, [], block);
      expect(found.get(address)).toMatchObject({
        pair: `${await read(token0, "symbol")}/${await read(token1, "symbol")}`,
        decimals0: Number(await read(token0, "decimals")),
        decimals1: Number(await read(token1, "decimals")),
        feePercent: String(fee / 10_000),
      });
    }
  });

  it("reads the pool itself in the pool's handlers", async () => {
    const starts = await ran.all("PoolStart");
    const wanted = await Promise.all(
      pools.map(async (pool) => ({
        token0: pool.token0.address,
        token1: pool.token1.address,
        symbol0: await anvil().view(pool.token0, "symbol"),
        symbol1: await anvil().view(pool.token1, "symbol"),
        fee: pool.fee,
      })),
    );
    expect(starts.length).toBe(wanted.length);
    for (const one of wanted) expect(starts).toContainEqual(expect.objectContaining(one));
  });

  it("reads the balance of a pool as of the block of each swap", async () => {
    const found = await byId("SwapVolume");
    expect([...found.keys()].sort()).toEqual([...events("Swap").keys()].sort());
    for (const [id, { contractId_, block_number, amount0 }] of events("Swap")) {
      const pool = pools.find(({ address }) => address === contractId_) as Pool;
      const block = Number(block_number);
      const decimals = Number(await anvil().view(pool.token0, "decimals", [], block));
      expect(found.get(id)).toMatchObject({
        token0: pool.token0.address,
        held0: await anvil().view(pool.token0, "balanceOf", [pool.address], block),
        amount0: formatUnits(amount0 as bigint, decimals).replace(/\.0$/, ""),
        isBuy: (amount0 as bigint) < 0n,
        swap: id,
      });
    }
  });

  it("reads the state of a pool as of the block of its last swap", async () => {
    const found = await byId("Pool");
    for (const pool of pools) {
      const newest = [...events("Swap").values()]
        .filter(({ contractId_ }) => contractId_ === pool.address)
        .reduce((a, b) => (Number(b.block_number) >= Number(a.block_number) ? b : a));
      expect(found.get(pool.address)).toMatchObject({ sqrtPriceX96: newest.sqrtPriceX96, tick: newest.tick });
    }
  });
});
