import { beforeAll, describe, expect, it } from "vitest";
import type { Compilation } from "../../../src/exports/index.js";
import { ReorgError } from "../../../src/runtime/chain/chain.js";
import { type Anvil, type Contract, useAnvil } from "../../support/chain/anvil.js";
import { type Ran, runOn } from "../harness.js";
import { buildTokens, deployFactory, everything, moving, tokenOf } from "../token-subgraph.js";

const anvil = useAnvil();
let factory: Contract;
let built: Compilation;
beforeAll(async () => {
  factory = await deployFactory(anvil());
  await anvil().send(factory, "make", [2]);
  built = await buildTokens(factory.address);
});

/** Mines blocks in which tokens are created and moved, depending on the seed. */
async function live(chain: Anvil, blocks: number, seed: number): Promise<void> {
  const token = await tokenOf(chain, factory, 0);
  for (let block = 0; block < blocks; block++) {
    if (block % 3 === seed % 3) await chain.send(factory, "make", [1]);
    else if (block % 3 === 1) await chain.send(factory, "makeAndMove", [chain.account(seed % 5)]);
    else await chain.inOneBlock([moving(chain, token, seed, block + 1), moving(chain, token, 2, 5)]);
  }
}

/** The result of a run that has never seen a fork. */
async function clean(): Promise<unknown> {
  return everything(await runOn(anvil(), built));
}

async function expectLikeClean(ran: Ran): Promise<void> {
  expect(await everything(ran)).toEqual(await clean());
  expect((await ran.store.head())?.number).toBe(await anvil().blockNumber());
}

describe("a chain that reorganises", () => {
  it("a reorg between two runs reverts five blocks and indexes them again", async () => {
    await live(anvil(), 3, 1);
    const fork = await anvil().snapshot();
    await live(anvil(), 5, 1);
    const first = await runOn(anvil(), built);
    const before = await everything(first);
    await anvil().revert(fork);
    await live(anvil(), 7, 2);
    const second = await runOn(anvil(), built, { store: first.store });
    expect(second.progress.reverted).toBe(5);
    await expectLikeClean(second);
    expect(await everything(second)).not.toEqual(before);
  });

  it("follows a reorg to a shorter chain", async () => {
    const fork = await anvil().snapshot();
    await live(anvil(), 5, 3);
    const first = await runOn(anvil(), built);
    await anvil().revert(fork);
    await live(anvil(), 2, 4);
    const second = await runOn(anvil(), built, { store: first.store });
    expect(second.progress.reverted).toBe(5);
    await expectLikeClean(second);
  });

  it("follows a reorg to a chain of the same length", async () => {
    const fork = await anvil().snapshot();
    await live(anvil(), 4, 5);
    const first = await runOn(anvil(), built);
    await anvil().revert(fork);
    await live(anvil(), 4, 6);
    await expectLikeClean(await runOn(anvil(), built, { store: first.store }));
  });

  it("INV-R2: follows repeated reorgs at the head", async () => {
    let turn = 0;
    let fork = await anvil().snapshot();
    const ran = await runOn(anvil(), built, {
      waitForBlocks: async () => {
        turn += 1;
        if (turn % 2 === 0) await anvil().revert(fork);
        fork = await anvil().snapshot();
        await live(anvil(), 3, turn);
        return turn < 6;
      },
    });
    expect(ran.progress.reverted).toBeGreaterThan(3);
    await expectLikeClean(await runOn(anvil(), built, { store: ran.store }));
  });

  it("follows a reorg in the middle of a block's handlers", async () => {
    const fork = await anvil().snapshot();
    await live(anvil(), 4, 7);
    const chain = anvil().chain();
    let isForked = false;
    const ran = await runOn(
      {
        ...chain,
        read: async (block, reads) => {
          if (!isForked && block.number === (await anvil().blockNumber()) - 1) {
            isForked = true;
            await anvil().revert(fork);
            await live(anvil(), 6, 8);
          }
          return chain.read(block, reads);
        },
      },
      built,
    );
    expect(isForked).toBe(true);
    await expectLikeClean(ran);
  });

  it("follows a reorg of blocks without events while indexing", async () => {
    const fork = await anvil().snapshot();
    const first = (await anvil().blockNumber()) + 1;
    await anvil().mine(150);
    let isForked = false;
    const chain = anvil().chain();
    const ran = await runOn(
      {
        ...chain,
        blocks: async (numbers) => {
          if (!isForked && numbers.includes(first + 100)) {
            isForked = true;
            await anvil().revert(fork);
            await anvil().rpc("evm_increaseTime", 5);
            await anvil().mine(160);
          }
          return chain.blocks(numbers);
        },
      },
      built,
    );
    expect(isForked).toBe(true);
    expect(ran.progress.reverted).toBeGreaterThan(0);
    for (const { number, hash } of await ran.store.recentBlocks(200)) {
      expect([number, (await chain.block(number))?.hash]).toEqual([number, hash]);
    }
  });

  it("follows a reorg between fetching logs and their block", async () => {
    await live(anvil(), 3, 9);
    const chain = anvil().chain();
    let isForked = false;
    const ran = await runOn(
      {
        ...chain,
        logs: async (from, to, filter) => {
          const logs = await chain.logs(from, to, filter);
          const last = logs.at(-1);
          if (isForked || !last) return logs;
          isForked = true;
          const gone = { ...last.block, hash: `0x${"f".repeat(64)}` };
          return [...logs, { ...last, block: gone, logIndex: last.logIndex + 1 }];
        },
      },
      built,
    );
    expect(isForked).toBe(true);
    await expectLikeClean(ran);
  });

  it("handles an apparent reorg in a block that creates sources", async () => {
    await live(anvil(), 3, 2);
    const chain = anvil().chain();
    let lost = 0;
    const ran = await runOn(
      {
        ...chain,
        read: async (block, reads) => {
          lost += 1;
          if (lost % 2 === 1) throw new ReorgError("a node that lags behind");
          return chain.read(block, reads);
        },
      },
      built,
    );
    expect(lost).toBeGreaterThan(3);
    await expectLikeClean(ran);
    const clean = await runOn(anvil(), built);
    expect(await ran.store.dataSources()).toEqual(await clean.store.dataSources());
  });
});
