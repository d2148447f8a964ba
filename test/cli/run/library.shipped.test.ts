import {
  AbortError,
  build,
  ChainError,
  createMemoryStore,
  createNodeHost,
  openChain,
  plainEntity,
  readBuilt,
  run,
} from "graphloom";
import { expect, it } from "vitest";
import { useAnvil } from "../../support/chain/anvil.js";
import { workplace } from "../harness.js";
import { counterConfig, deployCounter } from "./chains.js";

const anvil = useAnvil();

it("the library runs a subgraph that it built, in a few lines of code", async () => {
  const counter = await deployCounter(anvil());
  await anvil().send(counter, "count", [4]);
  const receipt = await anvil().send(counter, "count", [5]);
  const cwd = workplace({ "c.json": counterConfig({ mainnet: counter }, "calls.half!") });

  const { files } = await build("c.json", createNodeHost({ cwd }));
  const built = readBuilt({ manifest: "build/subgraph.yaml", files });
  const store = createMemoryStore(built);
  const { failure, progress } = await run(built, openChain(anvil().url), store);

  expect((await store.all("Note")).map(plainEntity)).toEqual([
    { id: expect.any(String), counted: expect.any(String), value: "2" },
  ]);
  expect(progress).toMatchObject({ block: Number(receipt.blockNumber) - 1, handlers: 1, writes: 2 });
  expect(failure).toMatchObject({ transactionHash: receipt.transactionHash, logIndex: 0 });
  expect(failure?.error).toBeInstanceOf(AbortError);
  const closed = openChain("http://127.0.0.1:1", { patience: 0 });
  await expect(run(built, closed, createMemoryStore(built))).rejects.toBeInstanceOf(ChainError);
});
