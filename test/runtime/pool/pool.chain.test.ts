import { beforeAll, expect, it } from "vitest";
import type { Compilation } from "../../../src/exports/index.js";
import type { Chain } from "../../../src/runtime/chain/chain.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { type Draw, drawFrom } from "../../support/pool/draw.js";
import { runOn } from "../harness.js";
import { buildTokens, deployFactory, everything, moving, tokenOf } from "../token-subgraph.js";

const anvil = useAnvil();
let factory: Contract;
let built: Compilation;
beforeAll(async () => {
  factory = await deployFactory(anvil());
  built = await buildTokens(factory.address);
  await anvil().send(factory, "make", [2]);
  const token = await tokenOf(anvil(), factory, 0);
  for (let block = 0; block < 30; block++) {
    if (block % 5 === 0) await anvil().send(factory, "makeAndMove", [anvil().account(block % 3)]);
    else await anvil().inOneBlock([moving(anvil(), token, 1, block + 1), moving(anvil(), token, 2, 5)]);
  }
});

/** A chain that lacks things now and then, as nodes do that are behind or cut their answers short. */
function unreliable(chain: Chain, draw: Draw, rate: number): Chain {
  const some = <T>(list: readonly T[]): readonly T[] =>
    draw.happens(rate) ? list.slice(0, draw.below(list.length + 1)) : list;
  return {
    ...chain,
    block: async (number) => (draw.happens(rate) ? undefined : chain.block(number)),
    blocks: async (numbers) =>
      (await chain.blocks(numbers)).map((block) => (draw.happens(rate) ? undefined : block)),
    logs: async (from, to, filter) => some(await chain.logs(from, to, filter)),
    logsOf: async (block, filter) => some(await chain.logsOf(block, filter)),
  };
}

it.each([
  1, 2, 3, 4, 5, 6,
])("the indexer loses no data of a real chain behind a faulty node, seed %s", async (seed) => {
  const clean = await runOn(anvil(), built);
  const ran = await runOn(unreliable(anvil().chain(), drawFrom(seed), 0.2), built);
  expect(ran.failure).toBeUndefined();
  expect(await everything(ran)).toEqual(await everything(clean));
  expect(await ran.store.head()).toEqual(await clean.store.head());
});
