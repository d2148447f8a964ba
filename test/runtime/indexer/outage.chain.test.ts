import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { ChainError } from "../../../src/runtime/chain/chain.js";
import { createRpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import { useAnvil } from "../../support/chain/anvil.js";
import { Doorway } from "../../support/server/doorway.js";
import { realWorld } from "../../support/worlds.js";
import { runOn } from "../harness.js";
import { buildTokens, deployFactory, everything, moving, tokenOf } from "../token-subgraph.js";

const anvil = useAnvil();

/** Speed-up of waits compared to real time. */
const haste = 20;
const world = { ...realWorld, now: () => Date.now() * haste, sleep: (time: number) => sleep(time / haste) };

const door = new Doorway(anvil);
afterEach(() => door.kill());

it("an outage of ten seconds delays a run without changing its result", async () => {
  const factory = await deployFactory(anvil());
  await anvil().send(factory, "make", [3]);
  const token = await tokenOf(anvil(), factory, 1);
  for (let block = 0; block < 60; block++) await anvil().transact(moving(anvil(), token, block % 4, block));
  const built = await buildTokens(factory.address);
  const clean = await everything(await runOn(anvil(), built));
  await door.open();
  const retries: string[] = [];
  const client = createRpcClient(door.url, world, { onRetry: (why) => retries.push(why) });
  let wasKilled = false;
  const ran = await runOn(createRpcChain(client), built, {
    onBlock: ({ number }) => {
      if (number !== 30) return;
      wasKilled = true;
      void door.kill().then(async () => {
        await sleep(10_000 / haste);
        await door.open();
      });
    },
  });
  expect(wasKilled).toBe(true);
  expect(retries.length).toBeGreaterThan(0);
  expect(ran.failure).toBeUndefined();
  expect(await everything(ran)).toEqual(clean);
});

it("a node that never answers again ends the run with the attempts made", async () => {
  const factory = await deployFactory(anvil());
  const built = await buildTokens(factory.address);
  await door.open();
  const url = door.url;
  await door.kill();
  const chain = createRpcChain(createRpcClient(url, world, { patience: 1000 }));
  await expect(runOn(chain, built)).rejects.toThrow(ChainError);
});
