import { describe, expect, it } from "vitest";
import type { Log } from "../../../../src/runtime/chain/chain.js";
import type { RpcClient } from "../../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../../src/runtime/chain/rpc-chain.js";
import { RpcError } from "../../../../src/runtime/chain/rpc-errors.js";
import { askTwice } from "../../../../src/runtime/indexer/logs/log-witnesses.js";
import { address, hash, quantity, rawBlock, rawLog } from "../../../support/chain/raw-chain.js";
import { drawFrom } from "../../../support/pool/draw.js";

const filter = [{ addresses: [address(1)], topics: [hash(1)] }];

interface Question {
  readonly from: number;
  readonly to: number;
  readonly isByHash: boolean;
}

/** A node that accepts ranges up to a width, and its answers; `holds` returns the number of logs in a block. */
function nodeOf(
  width: number,
  holds: (block: number) => number,
  shorten: (logs: readonly object[], question: Question) => readonly object[] = (logs) => logs,
): { client: RpcClient; asked: Question[] } {
  const asked: Question[] = [];
  const logsIn = (question: Question): readonly object[] => {
    asked.push(question);
    const blocks = Array.from({ length: question.to - question.from + 1 }, (_, at) => question.from + at);
    const all = blocks.flatMap((block) => Array.from({ length: holds(block) }, (_, at) => rawLog(block, at)));
    return shorten(all, question);
  };
  const request: RpcClient["request"] = async (method, [first]) => {
    if (method === "eth_getBlockByNumber") return rawBlock(Number(first));
    const { fromBlock, toBlock, blockHash } = first as Readonly<Record<string, string>>;
    if (blockHash !== undefined) {
      return logsIn({ from: Number(blockHash), to: Number(blockHash), isByHash: true });
    }
    const [from, to] = [Number(fromBlock), Number(toBlock)];
    if (to - from + 1 > width) {
      const refusal = {
        code: -32000,
        reason: `block range is too wide, at most ${width} blocks`,
        data: null,
      };
      throw new RpcError(method, "node", refusal);
    }
    return logsIn({ from, to, isByHash: false });
  };
  return { client: { request }, asked };
}

describe("two witnesses of a range", () => {
  const draw = drawFrom(7);
  it.each([
    1, 2, 3, 4, 5, 7, 10, 64, 1_000,
  ])("two witnesses cover every block by answers that end at different blocks, with ranges of at most %i blocks", async (width) => {
    for (let run = 0; run < 20; run++) {
      const { client, asked } = nodeOf(width, () => 1);
      const from = draw.below(1_000);
      const to = from + draw.below(150);
      const settledTo = to - (draw.happens(0.3) ? draw.below(to - from + 1) : 0);
      const range = { from, to, settledTo, sharedTo: settledTo + 234 };
      const { logs, doubtful } = await askTwice(createRpcChain(client), range, filter);
      expect(logs.map(({ block }) => block.number)).toEqual(
        Array.from({ length: to - from + 1 }, (_, at) => from + at),
      );
      // The second witness queries a single block by its hash, so that the block is checked separately.
      if (width > 2) {
        expect(doubtful.size).toBe(0);
        const questions = asked.map((one) => JSON.stringify(one));
        expect(new Set(questions).size).toBe(questions.length);
      }
      for (let block = from; block <= settledTo; block++) {
        const covering = asked.filter((one) => one.from <= block && block <= one.to);
        const ends = new Set(covering.map((one) => (one.isByHash ? "by hash" : one.to)));
        expect(ends.size).toBeGreaterThan(1);
      }
    }
  });

  it("two witnesses leave no doubt about blocks before the last log of either", async () => {
    const { client, asked } = nodeOf(1_000, () => 2);
    const range = { from: 0, to: 24, settledTo: 500, sharedTo: 734 };
    const { logs, doubtful } = await askTwice(createRpcChain(client), range, filter);
    expect([logs.length, doubtful.size]).toEqual([50, 0]);
    expect(asked.map(({ to }) => to)).toEqual([24, 11, 31]);
  });

  it("two witnesses dispute the blocks in which one has more logs, and return the logs of both", async () => {
    const { client } = nodeOf(
      1_000,
      () => 3,
      (logs) => logs.slice(0, -1),
    );
    const range = { from: 0, to: 24, settledTo: 500, sharedTo: 734 };
    const { logs, doubtful, late } = await askTwice(createRpcChain(client), range, filter);
    expect(logs).toHaveLength(75);
    expect([...doubtful].sort((one, other) => one - other)).toEqual([11, 24]);
    expect([...late].map(({ block, logIndex }) => [block.number, logIndex])).toEqual([[24, 2]]);
  });

  it("two witnesses keep a log under both block numbers that they report for it", async () => {
    const { client } = nodeOf(
      1_000,
      (block) => (block === 19 ? 0 : 1),
      // The second witness reports the log of block 20 in block 19.
      (logs, { to }) =>
        to === 31
          ? logs.map((log) =>
              "blockHash" in log && log.blockHash === hash(20) ? { ...log, blockNumber: quantity(19) } : log,
            )
          : logs,
    );
    const range = { from: 0, to: 24, settledTo: 500, sharedTo: 734 };
    const { logs, late } = await askTwice(createRpcChain(client), range, filter);
    const own = (all: Iterable<Log>): readonly number[] =>
      [...all].filter((log) => log.block.hash === hash(20)).map(({ block }) => block.number);
    expect([own(logs), own(late)]).toEqual([[19, 20], [19]]);
  });

  it("two witnesses are followed by checks of the blocks after the last log of both, or by a third range", async () => {
    const last = nodeOf(1_000, (block) => (block === 5 ? 1 : 0));
    const few = { from: 0, to: 24, settledTo: 500, sharedTo: 734 };
    const found = await askTwice(createRpcChain(last.client), few, filter);
    expect([...found.doubtful]).toEqual(Array.from({ length: 20 }, (_, at) => 5 + at));
    const many = { from: 0, to: 299, settledTo: 500, sharedTo: 734 };
    const cut = nodeOf(
      1_000,
      (block) => (block === 5 || block === 200 ? 1 : 0),
      // The first two witnesses lack it; the third does not.
      (logs, { to }) => (to >= 300 && to % 2 === 1 ? logs : logs.slice(0, to < 200 ? 1 : -1)),
    );
    const third = await askTwice(createRpcChain(cut.client), many, filter);
    expect(third.logs.map(({ block }) => block.number)).toEqual([5, 200]);
    expect([...third.doubtful]).toContain(200);
  });

  it("two witnesses are queried again in halves when they differ in too many blocks", async () => {
    let count = 0;
    const { client } = nodeOf(
      1_000,
      () => 1,
      // The first answer is empty.
      (logs) => (count++ === 0 ? [] : logs),
    );
    const range = { from: 0, to: 99, settledTo: 500, sharedTo: 734 };
    const { logs, doubtful } = await askTwice(createRpcChain(client), range, filter);
    expect([logs.length, doubtful.size]).toEqual([100, 0]);
  });

  it("two witnesses are reduced to one for blocks that are not settled", async () => {
    const { client, asked } = nodeOf(1_000, () => 1);
    await askTwice(createRpcChain(client), { from: 0, to: 99, settledTo: 20, sharedTo: 254 }, filter);
    const [whole, ...others] = asked;
    expect(whole).toEqual({ from: 0, to: 99, isByHash: false });
    expect(Math.max(...others.map(({ to }) => to))).toBeLessThan(40);
  });
});

it("the hash of a test block encodes its number", () => {
  expect(Number(rawBlock(77).hash)).toBe(77);
  expect(quantity(77)).toBe("0x4d");
});
