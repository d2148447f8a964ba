import { describe, expect, it } from "vitest";
import { Anvil, BLOCK_TIME, callOf, useAnvil } from "./anvil.js";
import { GENESIS_TIME } from "./anvil-process.js";
import { deployToken } from "./erc20.js";
import { compileContract } from "./solidity.js";
import { createPool, deployUniswap, mint, minting, swap, swapping } from "./uniswap.js";

const token = { name: "A token", symbol: "ONE", decimals: 18, supply: 10n ** 30n };

describe("the local chain", () => {
  const anvil = useAnvil();

  it("mines several transactions in one block, in order, then mines automatically again", async () => {
    const contract = await deployToken(anvil(), token);
    const receipts = await anvil().inOneBlock(
      [1n, 2n, 3n].map((value) => callOf(contract, "transfer", [anvil().account(1), value])),
    );
    expect(new Set(receipts.map(({ blockNumber }) => blockNumber)).size).toBe(1);
    expect(receipts.map(({ transactionIndex }) => Number(transactionIndex))).toEqual([0, 1, 2]);
    expect(receipts.map(({ logs }) => BigInt(logs[0]?.data ?? 0))).toEqual([1n, 2n, 3n]);
    const after = await anvil().send(contract, "transfer", [anvil().account(1), 4n]);
    expect(Number(after.blockNumber)).toBe(Number(receipts[0]?.blockNumber) + 1);
    expect(await anvil().view(contract, "balanceOf", [anvil().account(1)])).toBe(10n);
    expect(
      await anvil().view(contract, "balanceOf", [anvil().account(1)], Number(after.blockNumber) - 1),
    ).toBe(6n);
  });

  it("returns to a snapshot and mines different blocks from there", async () => {
    const snapshot = await anvil().snapshot();
    const before = await anvil().blockNumber();
    await anvil().mine(3);
    const old = await anvil()
      .chain()
      .block(before + 1);
    await anvil().revert(snapshot);
    expect(await anvil().blockNumber()).toBe(before);
    await anvil().transact({ to: anvil().account(2), value: 1n });
    const other = await anvil()
      .chain()
      .block(before + 1);
    expect(other?.parentHash).toBe(old?.parentHash);
    expect(other?.hash).not.toBe(old?.hash);
  });

  it("reports transactions that fail", async () => {
    const contract = await deployToken(anvil(), token);
    const receipt = await anvil().send(contract, "transfer", [anvil().account(1), 1n], {
      from: anvil().account(3),
    });
    expect(receipt.status).toBe("0x0");
    expect(receipt.logs).toEqual([]);
  });
});

it("the local chain makes the same chain from the same calls", async () => {
  const make = async (): Promise<string> => {
    const anvil = await Anvil.start();
    try {
      await deployToken(anvil, token);
      await anvil.mine(2);
      const { number, hash, timestamp } = (await anvil.chain().block(3)) ?? {
        hash: "none",
        number: 0,
        timestamp: 0n,
      };
      expect(timestamp).toBe(BigInt(GENESIS_TIME + BLOCK_TIME * number));
      return hash;
    } finally {
      await anvil.stop();
    }
  };
  expect(await make()).toBe(await make());
});

it("the local chain says why a chain cannot be started", async () => {
  await expect(Anvil.start(["--no-such-flag"])).rejects.toThrow(/no-such-flag/);
});

it("the local chain says why Solidity does not compile", () => {
  expect(() => compileContract("contract C { function f() public { g(); } }", "C")).toThrow(
    /Undeclared identifier/,
  );
  expect(() => compileContract("contract C {}", "D")).toThrow('The source has no contract "D"');
});

describe("Uniswap V3", () => {
  const anvil = useAnvil();

  it("creates pools, adds liquidity and swaps several times in a block", async () => {
    const uniswap = await deployUniswap(anvil());
    const one = await deployToken(anvil(), token);
    const pool = await createPool(anvil(), uniswap, one, uniswap.weth, { fee: 500 });
    expect(
      await anvil().view(uniswap.factory, "getPool", [one.address, uniswap.weth.address, 500]),
    ).toSatisfy((address: string) => address.toLowerCase() === pool.address);

    const minted = await mint(anvil(), uniswap, pool);
    expect(eventsOf(minted.logs, pool)).toContain("Mint");
    const swapped = await swap(anvil(), uniswap, pool, 10n ** 15n);
    const [event] = swapped.logs.filter(({ address }) => address === pool.address);
    const parsed = pool.interface.parseLog({ topics: [...(event?.topics ?? [])], data: event?.data ?? "0x" });
    expect(parsed?.name).toBe("Swap");
    expect(parsed?.args.getValue("amount0")).toBe(10n ** 15n);

    const receipts = await anvil().inOneBlock([
      swapping(anvil(), uniswap, pool, 5n),
      minting(anvil(), uniswap, pool, 10n ** 18n),
      swapping(anvil(), uniswap, pool, 10n ** 12n, "token1"),
    ]);
    expect(receipts.map(({ status }) => status)).toEqual(["0x1", "0x1", "0x1"]);
    expect(receipts.map(({ logs }) => eventsOf(logs, pool))).toEqual([["Swap"], ["Mint"], ["Swap"]]);
  });
});

function eventsOf(
  logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[],
  pool: { readonly address: string; readonly interface: import("ethers").Interface },
): readonly string[] {
  return logs
    .filter(({ address }) => address === pool.address)
    .map(({ topics, data }) => pool.interface.parseLog({ topics: [...topics], data })?.name ?? "unknown");
}
