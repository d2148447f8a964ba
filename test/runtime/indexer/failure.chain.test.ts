import { describe, expect, it } from "vitest";
import { AbortError } from "../../../src/runtime/wasm/failures.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { runOn } from "../harness.js";
import { buildTokens, deployFactory, moving, tokenOf } from "../token-subgraph.js";

const anvil = useAnvil();

const failing = {
  calls: { failed: { name: "fail" } },
  entities: { Balance: { "amount uint256": "calls.failed!" } },
};

describe("a handler that fails", () => {
  it("a failed handler ends the run before its block, and reports its trigger and place", async () => {
    const factory = await deployFactory(anvil());
    await anvil().send(factory, "make", [1]);
    const token = await tokenOf(anvil(), factory, 0);
    const receipt = await anvil().transact(moving(anvil(), token, 1, 5));
    await anvil().transact(moving(anvil(), token, 1, 6));
    const built = await buildTokens(factory.address, failing);
    const { failure, store, all } = await runOn(anvil(), built);
    expect(failure).toMatchObject({
      handler: "handleTokenMovedEnriched",
      source: "Token",
      block: Number(receipt.blockNumber),
      transactionHash: receipt.transactionHash,
      logIndex: Number(receipt.logs[0]?.logIndex),
    });
    expect(failure?.error).toBeInstanceOf(AbortError);
    const { file, line, column } = failure?.error as AbortError;
    const origin = built.origins
      .get(file ?? "")
      ?.find((one) => one.line === line && one.column <= column && column <= one.column + one.length);
    expect(origin?.what).toBe("the value of Balance.amount");
    expect((await store.head())?.number).toBe(Number(receipt.blockNumber) - 1);
    expect(await all("Moved")).toEqual([]);
    expect((await all("Opened")).length).toBe(1);
  });

  it("a failed handler removes the sources that its block created", async () => {
    const factory = await deployFactory(anvil());
    await anvil().send(factory, "makeAndMove", [anvil().account(1)]);
    const { failure, store } = await runOn(anvil(), await buildTokens(factory.address, failing));
    expect(failure).toBeDefined();
    expect(await store.dataSources()).toEqual([]);
  });
});
