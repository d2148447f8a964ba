import { Interface } from "ethers";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { groupBy } from "../../../src/base/group-by.js";
import { openIpfs } from "../../../src/machine/open-files.js";
import type { Chain } from "../../../src/runtime/chain/chain.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { type Contract, callOf, useAnvil } from "../../support/chain/anvil.js";
import { startIpfsDouble } from "../../support/network/ipfs-double.js";
import { factoryAddress } from "../../support/pool/contracts.js";
import { type PlainEntity, type Ran, runOn } from "../harness.js";
import { runOnPool } from "../pool/pool-run.js";
import { buildClock, type ClockBuild, listenTo, type ManifestData } from "./build-clock.js";
import { childContract, clockContract } from "./contracts.js";

const anvil = useAnvil();
let built: ClockBuild;
beforeAll(async () => {
  built = await buildClock();
});

/** Deploys a clock; the block after it is the first to be indexed. */
async function deployClock(): Promise<{ readonly clock: Contract; readonly start: number }> {
  const clock = await anvil().deploy(clockContract.abi, clockContract.bytecode);
  return { clock, start: (await anvil().blockNumber()) + 1 };
}

const run = (change: (manifest: ManifestData) => void, chain: Chain = anvil().chain()): Promise<Ran> =>
  runOn(chain, built.with(change), { from: undefined });

/** What the handlers saw, by the block's distance from a first one. */
async function seen(ran: Ran, start: number): Promise<Readonly<Record<number, readonly unknown[]>>> {
  const byBlock = groupBy(await ran.all("Seen"), ({ block }) => Number(block) - start);
  return Object.fromEntries([...byBlock].map(([block, own]) => [block, own.map(({ what }) => what)]));
}

describe("the handlers of a subgraph that graph build has built", () => {
  it("handlers run in graph-node's order, on the blocks that they request", async () => {
    const { clock } = await deployClock();
    const caller = await anvil().deploy(clockContract.abi, clockContract.bytecode);
    const start = (await anvil().blockNumber()) + 1;
    const [, first = "", , other = ""] = anvil().accounts;
    const [, listed] = await anvil().inOneBlock([
      callOf(clock, "quiet", [5]),
      callOf(clock, "tick", [1], { from: first }),
      callOf(clock, "tick", [2], { from: other }),
    ]);
    await anvil().mine(1);
    await anvil().send(clock, "order", [first, other]);
    await anvil().send(clock, "twice", [clock.address, 5]);
    await anvil().inOneBlock([
      { to: clock.address, value: 1n },
      // Its own call fails, and none other is of the clock.
      callOf(clock, "quietly", [caller.address]),
    ]);
    const { logs } = await anvil().send(clock, "born");
    const child = await anvil().send(
      { address: logs[0]?.address ?? "", interface: contractOf(childContract.abi) },
      "ping",
      [9],
    );
    await anvil().mine(1);
    await anvil().send(clock, "tick", [3], { from: first });
    // The clock's call goes well in a transaction that fails: a call in the block, and none that is handled.
    const undone = await anvil().send(caller, "quietly", [clock.address]);
    expect(undone.status).toBe("0x0");
    const ran = await run((manifest) => {
      listenTo(manifest, clock.address, start);
      const topics = [anvil().account(2), first];
      for (const handler of manifest.dataSources[2]?.mapping.eventHandlers ?? []) handler.topic1 = topics;
    });
    expect(ran.failure).toBeUndefined();
    expect(Number(child.blockNumber)).toBe(start + 6);
    expect(await seen(ran, start)).toEqual({
      0: [
        "every quiet 5 of 5",
        `every tick 1 paid ${Number(listed?.gasUsed)}`,
        `some tick 1 paid ${Number(listed?.gasUsed)}`,
        "every tick 2",
        "every called",
        "every block",
        "some block",
      ],
      1: ["poll once", "every block", "poll poll", "some block"],
      2: ["poll order 1 1", "every called", "every block", "some block"],
      3: [
        "every quiet 5 of 5",
        "every quiet 5 of 10",
        "every quiet 5 of 15",
        "every called",
        "every block",
        "some block",
      ],
      4: ["every block", "poll poll", "some block"],
      5: ["poll born", "every called", "every block", "child once", "child ping 0", "child poll"],
      6: ["child ping 9", "every block"],
      7: ["every block", "poll poll", "child poll"],
      8: ["every tick 3", "every called", "every block"],
      9: ["every called", "every block", "child poll"],
    });
    expect(ran.progress).toMatchObject({ block: start + 9, handlers: 41, blocks: 10 });
    const found = (await ran.all("BlockFields")).toSorted((a, b) => Number(a.id) - Number(b.id));
    expect(found).toEqual(await blockFields(start, start + 9));
  });

  it("declared calls are made together, also with members of structs", async () => {
    const { clock, start } = await deployClock();
    const [, maker, token] = anvil().accounts;
    await anvil().send(clock, "tick", [1], { from: maker ?? "" });
    await anvil().send(clock, "order", [maker, token]);
    const reads: number[] = [];
    const chain = anvil().chain();
    const listening: Chain = {
      ...chain,
      read: (block, asked) => {
        reads.push(asked.length);
        return chain.read(block, asked);
      },
    };
    const ran = await run((manifest) => {
      listenTo(manifest, clock.address, start);
      manifest.dataSources = manifest.dataSources.slice(1, 2);
    }, listening);
    expect(await seen(ran, start)).toEqual({ 1: ["poll once", "poll order 1 0", "poll poll"] });
    expect(reads).toEqual([2]);
  });

  it("fetches only the blocks that handlers request", async () => {
    const { clock, start } = await deployClock();
    await anvil().mine(1000);
    const asked: number[] = [];
    const chain = anvil().chain();
    const counting: Chain = {
      ...chain,
      blocks: (numbers) => {
        asked.push(...numbers);
        return chain.blocks(numbers);
      },
    };
    const ran = await run((manifest) => {
      listenTo(manifest, clock.address, start);
      manifest.dataSources = manifest.dataSources.slice(1, 2);
      for (const { filter } of manifest.dataSources[0]?.mapping.blockHandlers ?? []) {
        if (filter?.kind === "polling") filter.every = 100;
      }
    }, counting);
    const polled = (await ran.all("Seen")).map(({ block }) => Number(block) - start);
    expect(polled).toEqual([1, 1, 101, 201, 301, 401, 501, 601, 701, 801, 901]);
    // The last 250, those that are polled, the ends of the windows, and where the list of settled logs ends.
    expect(asked.length).toBeLessThan(250 + 8 + 10 + 70);
    expect(new Set(asked).size).toBe(asked.length);
  });

  it("drops only the changes of a failed handler with nonFatalErrors", async () => {
    const { clock, start } = await deployClock();
    const before = await anvil().snapshot();
    const [, failed] = await anvil().inOneBlock([
      callOf(clock, "tick", [1]),
      callOf(clock, "fail", [13]),
      callOf(clock, "tick", [2]),
    ]);
    await anvil().send(clock, "fail", [1]);
    const bearing = (manifest: ManifestData): void => {
      listenTo(manifest, clock.address, start - 1);
      manifest.features?.push("nonFatalErrors");
    };
    const ran = await run(bearing);
    const error = {
      handler: "onFailing",
      source: "Poll",
      block: start,
      blockHash: failed?.blockHash,
      logIndex: 1,
      transactionHash: failed?.transactionHash,
      error: { reason: "thirteen" },
    };
    expect(ran.failure).toBeUndefined();
    expect(ran.errors).toMatchObject([error]);
    expect(await seen(ran, start)).toEqual({
      [-1]: ["every block", "some block"],
      0: [
        "poll once",
        "every tick 1",
        "every tick 2",
        "every called",
        "every block",
        "poll poll",
        "some block",
      ],
      1: [
        "poll before failing",
        "poll did not fail",
        "every called",
        "every block",
        "some block",
        "once",
        "poll",
      ],
    });
    expect(await ran.store.dataSources()).toMatchObject([
      { address: clock.address, creationBlock: start + 1 },
    ]);

    const strict = await run((manifest) => listenTo(manifest, clock.address, start - 1));
    expect(strict).toMatchObject({ failure: error, errors: [], progress: { block: start - 1 } });

    const forgetting = await runOn(anvil(), built.with(bearing), {
      from: undefined,
      waitForBlocks: async () => {
        if ((await anvil().blockNumber()) > start + 1) return false;
        await anvil().revert(before);
        await anvil().mine(3);
        return true;
      },
    });
    expect(forgetting.progress).toMatchObject({ block: start + 2, reverted: 2 });
    expect(forgetting.errors).toEqual([]);
  });

  it("handlers read IPFS files, also with a JSON value on every line", async () => {
    const double = await startIpfsDouble();
    onTestFinished(() => double.stop());
    const { clock, start } = await deployClock();
    const file = await double.put("some text");
    const lines = await double.put('{"name":"a"}\n{"name":"b"}\n\n{"name":"a"}\n');
    await anvil().send(clock, "tell", [file, false]);
    await anvil().inOneBlock([
      callOf(clock, "tell", [`/ipfs/${file}`, false]),
      callOf(clock, "tell", [lines, true]),
    ]);
    await anvil().send(clock, "tell", [file.replace(/.$/, "x"), false]);
    const change = (manifest: ManifestData): void => {
      listenTo(manifest, clock.address, start - 1);
      manifest.dataSources = manifest.dataSources.slice(1, 2);
    };
    const options = { from: undefined, files: openIpfs(double.url) };
    const ran = await runOn(anvil(), built.with(change), options);
    expect(await seen(ran, start)).toEqual({
      0: ["poll once", "poll file some text", "poll poll"],
      1: ["poll file some text", "poll before lines", "poll after lines"],
      2: ["poll no file"],
    });
    // As in graph-node, a callback sees what was there before its block: three handlers had run, and no line.
    expect((await ran.all("Counter")).map(({ id, value }) => [id, value])).toEqual([
      ["seen", 7],
      ["told a", 3],
      ["told b", 3],
    ]);
    double.forget(lines);
    const { failure } = await runOn(anvil(), built.with(change), options);
    expect(failure?.error).toMatchObject({
      name: "RetriedError",
      message: `The IPFS gateway does not have ${lines}, which a handler needs`,
    });
    await expect(run(change)).rejects.toThrow("no IPFS gateway is set");
  });

  it("once handlers run once when a run starts later", async () => {
    const { clock, start } = await deployClock();
    await anvil().mine(12);
    const later = built.with((manifest) => {
      listenTo(manifest, clock.address, start - 1);
      manifest.dataSources = manifest.dataSources.slice(1, 2);
    });
    const ran = await runOn(anvil(), later, { from: start + 5, to: start + 7 });
    const went = await runOn(anvil(), later, { from: start + 5, to: start + 9, store: ran.store });
    expect(await seen(went, start)).toEqual({ 5: ["poll once"], 6: ["poll poll"], 9: ["poll poll"] });
    const other = await runOn(anvil(), later, { from: start + 10, store: ran.store });
    expect(await seen(other, start)).toMatchObject({ 9: ["poll poll"] });
    expect((await other.all("Seen")).length).toBe(3);
  });

  it.each([1, 2, 3, 4, 5, 8])("handlers see the real chain behind a faulty pool, seed %s", async (seed) => {
    const { files } = built.with((manifest) => listenTo(manifest, factoryAddress, 3));
    const own = [...files].map(([path, content]) => [path.replace(/^build\//, ""), content] as const);
    const subgraph = readRunnable({ manifest: "subgraph.yaml", files: new Map(own) });
    const shape = seed % 8 === 0 ? { length: 330, busy: 0.1 } : { length: 25, busy: 0.6 };
    const outcome = await runOnPool(subgraph, { seed, ...shape, disturbance: 0.02, lag: 0.1, change: 0.1 });
    expect(outcome).toEqual({ kind: "whole" });
  });

  it("the run ends with the last end block of all sources", async () => {
    const { clock, start } = await deployClock();
    await anvil().mine(10);
    const ran = await runOn(
      anvil(),
      built.with((manifest) => {
        listenTo(manifest, clock.address, start);
        manifest.dataSources = manifest.dataSources.slice(2);
      }),
      { from: undefined, waitForBlocks: () => Promise.reject(new Error("nothing is waited for")) },
    );
    expect(ran.progress).toMatchObject({ block: start + 4, target: start + 4, handlers: 5 });
  });
});

function contractOf(abi: ConstructorParameters<typeof Interface>[0]): Contract["interface"] {
  return new Interface(abi);
}

/** The fields of blocks as the node tells them. */
async function blockFields(from: number, to: number): Promise<readonly PlainEntity[]> {
  const fields: PlainEntity[] = [];
  for (let number = from; number <= to; number++) {
    const block = await anvil().rpc<Record<string, string>>(
      "eth_getBlockByNumber",
      `0x${number.toString(16)}`,
      false,
    );
    const { hash, parentHash, stateRoot, transactionsRoot, receiptsRoot } = block;
    const numbers = ["gasUsed", "gasLimit", "timestamp", "difficulty", "size", "baseFeePerGas"];
    fields.push({
      id: String(number),
      hash,
      parentHash,
      stateRoot,
      transactionsRoot,
      receiptsRoot,
      unclesHash: block.sha3Uncles,
      author: block.miner,
      ...Object.fromEntries(numbers.map((name) => [name, BigInt(block[name] ?? 0)])),
      totalDifficulty: BigInt(block.totalDifficulty ?? 0),
    });
  }
  return fields;
}
