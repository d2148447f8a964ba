import { describe, expect, it } from "vitest";
import { callOf, useAnvil } from "../../support/chain/anvil.js";
import { buildConfig, runOn } from "../harness.js";
import {
  buildTokens,
  deployFactory,
  factoryContract,
  moving,
  tokenContract,
  tokenOf,
} from "../token-subgraph.js";

const anvil = useAnvil();

describe("sources that are created in a block", () => {
  it("created sources get all events of their block, including earlier ones", async () => {
    const factory = await deployFactory(anvil());
    const receipt = await anvil().send(factory, "makeAndMove", [anvil().account(1)]);
    const ran = await runOn(anvil(), await buildTokens(factory.address));
    const made = receipt.logs.findIndex(({ address }) => address.toLowerCase() === factory.address);
    expect(made).toBe(2);
    expect((await ran.all("Opened")).length).toBe(1);
    expect((await ran.all("Moved")).map(({ amount }) => amount)).toEqual([7n, 8n]);
  });

  it("created sources get their events alongside other events in and after their block", async () => {
    const factory = await deployFactory(anvil());
    await anvil().send(factory, "make", [2]);
    const token = await tokenOf(anvil(), factory, 0);
    await anvil().inOneBlock([
      moving(anvil(), token, 1, 1),
      callOf(factory, "make", [3]),
      moving(anvil(), token, 2, 2),
      callOf(factory, "makeAndMove", [anvil().account(3)]),
    ]);
    const late = await tokenOf(anvil(), factory, 4);
    await anvil().transact(moving(anvil(), late, 3, 9));
    const ran = await runOn(anvil(), await buildTokens(factory.address));
    expect((await ran.all("Made")).length).toBe(6);
    expect((await ran.all("Opened")).length).toBe(6);
    expect((await ran.all("Moved")).map(({ amount }) => amount).sort()).toEqual([1n, 2n, 7n, 8n, 9n]);
    expect((await ran.store.dataSources()).length).toBe(6);
  });

  it("a source that is created repeatedly exists once", async () => {
    const factory = await deployFactory(anvil());
    await anvil().send(factory, "make", [1]);
    await anvil().inOneBlock([callOf(factory, "announce", [0]), callOf(factory, "announce", [0])]);
    const token = await tokenOf(anvil(), factory, 0);
    await anvil().transact(moving(anvil(), token, 1, 5));
    const ran = await runOn(anvil(), await buildTokens(factory.address));
    expect((await ran.all("Made")).length).toBe(3);
    expect((await ran.store.dataSources()).length).toBe(1);
    // Three from the factory; from the token, its opening and one move.
    expect(ran.progress.handlers).toBe(5);
  });

  it("a created source does not run other sources of its address again", async () => {
    const factory = await deployFactory(anvil());
    const receipt = await anvil().send(factory, "make", [1]);
    const token = await tokenOf(anvil(), factory, 0);
    const built = await buildConfig({
      abis: { Factory: factoryContract.abi, Token: tokenContract.abi },
      instances: [
        { abi: "Factory", address: factory.address, startBlock: 0, chain: "mainnet" },
        { abi: "Token", address: token.address, startBlock: 0, chain: "mainnet" },
        {
          abi: "Token",
          source: { abi: "Factory", eventSignature: "Made(address,uint256)", addressParam: "token" },
        },
      ],
    });
    const ran = await runOn(anvil(), built);
    expect(receipt.logs.length).toBe(2);
    // One for the factory's event, and one for the token's event from each of its two sources.
    expect(ran.progress.handlers).toBe(3);
  });

  it("created sources are restored when a run continues a store", async () => {
    const factory = await deployFactory(anvil());
    await anvil().send(factory, "make", [1]);
    const built = await buildTokens(factory.address);
    const first = await runOn(anvil(), built);
    const token = await tokenOf(anvil(), factory, 0);
    await anvil().transact(moving(anvil(), token, 1, 5));
    const second = await runOn(anvil(), built, { store: first.store });
    expect((await second.all("Moved")).map(({ amount }) => amount)).toEqual([5n]);
    expect(second.progress.handlers).toBe(1);
  });
});

describe("the range of a run", () => {
  it("a run starts at the start block of each source by default", async () => {
    const factory = await deployFactory(anvil());
    await anvil().send(factory, "make", [1]);
    const receipt = await anvil().send(factory, "make", [1]);
    const startBlock = Number(receipt.blockNumber);
    const built = await buildConfig({
      abis: { Factory: factoryContract.abi },
      instances: [{ abi: "Factory", address: factory.address, startBlock, chain: "mainnet" }],
    });
    expect((await (await runOn(anvil(), built, { from: undefined })).all("Made")).length).toBe(1);
    expect((await (await runOn(anvil(), built, { from: startBlock - 1 })).all("Made")).length).toBe(2);
  });

  it.each([
    ["to a block", { to: 3 }],
    ["from a block", { from: 2, to: 4 }],
  ])("a run is limited %s", async (_, range) => {
    const ran = await runOn(anvil(), await buildTokens("0x00000000000000000000000000000000000000a1"), range);
    expect((await ran.store.head())?.number).toBe(range.to);
    expect(ran.progress.target).toBe(range.to);
  });

  it("the signal ends a run after a whole block", async () => {
    const abort = new AbortController();
    const ran = await runOn(anvil(), await buildTokens("0x00000000000000000000000000000000000000a1"), {
      signal: abort.signal,
      onBlock: ({ number }) => {
        if (number === 2) abort.abort();
      },
    });
    expect((await ran.store.head())?.number).toBe(2);
  });
});
