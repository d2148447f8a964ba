import { expect, it } from "vitest";
import type { Chain } from "../../../src/runtime/chain/chain.js";
import { callOf, useAnvil } from "../../support/chain/anvil.js";
import { buildConfig, runOn } from "../harness.js";
import { deployFactory, factoryContract } from "../token-subgraph.js";

const anvil = useAnvil();

it("the indexer requests a transaction's receipt once for any number of handlers, also when they run ahead", async () => {
  const factory = await deployFactory(anvil());
  const instance = { abi: "Factory", address: factory.address, startBlock: 0, chain: "mainnet" };
  const reading = {
    calls: { token: { name: "tokens", params: "event.params.number.minus(BigInt.fromI32(1))" } },
    entities: { Cost: { "gas uint256": "event.receipt!.gasUsed" } },
  };
  const built = await buildConfig({
    abis: { Factory: factoryContract.abi },
    instances: [{ ...instance, enrich: { handlers: { Made: reading } } }],
  });
  const before = await anvil().blockNumber();
  const made: string[] = [];
  for (let block = 0; block < 2; block++) {
    const receipts = await anvil().inOneBlock([callOf(factory, "make", [3]), callOf(factory, "make", [2])]);
    made.push(...receipts.map(({ transactionHash }) => transactionHash));
  }
  const asked: string[] = [];
  const chain = anvil().chain();
  const counting: Chain = {
    ...chain,
    receipt: (transaction) => {
      asked.push(transaction);
      return chain.receipt(transaction);
    },
  };
  const ran = await runOn(counting, built, { from: before + 1 });
  expect(ran.failure).toBeUndefined();
  expect((await ran.all("Cost")).length).toBe(10);
  expect(asked).toEqual(made);
});
