import { describe, expect, it, onTestFinished } from "vitest";
import type { World } from "../../../src/base/world.js";
import { fetchOf } from "../../../src/rpc/gateway-fetch.js";
import { NodePool } from "../../../src/rpc/node-pool.js";
import { ReorgError } from "../../../src/runtime/chain/chain.js";
import { LogRanges } from "../../../src/runtime/chain/rpc/log-ranges.js";
import { createPatience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import { createRpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../../src/runtime/chain/rpc-chain.js";
import { NodeError, startFaultyNode } from "../../support/chain/faulty-node.js";
import { type RangeRefusal, rangeRefusals } from "../../support/chain/range-refusals.js";
import { hash, rawLog } from "../../support/chain/raw-chain.js";
import { type RefusingFault, rangeOf, startRefusingNode } from "../../support/chain/refusing-node.js";
import { fastWorld } from "../../support/worlds.js";

const blocks = 64;
const filter = [{ addresses: [], topics: [hash(1)] }];

interface ReadOptions extends RefusingFault {
  /** Sends what the client sends. */
  readonly fetchThrough?: (url: string, world: World) => World["fetch"];
}

/** Reads all logs of a node that refuses wide ranges. @returns the blocks of the logs, and how many requests it took */
async function readAll({
  fetchThrough = (_url, world) => world.fetch,
  ...refusal
}: RangeRefusal & ReadOptions): Promise<{ readonly found: readonly number[]; readonly requests: number }> {
  const node = await startRefusingNode(refusal);
  const world = fastWorld();
  const sent = { ...world, fetch: fetchThrough(node.url, world) };
  const client = createRpcClient(node.url, sent, { patience: 20_000 });
  const chain = createPatientChain(createRpcChain(client), createPatience({ patience: 20_000 }));
  const logs = await chain.logs(1, blocks, filter);
  return { found: logs.map(({ block }) => block.number), requests: node.exchanges.length };
}

/** Sends as the clients of a server do. */
function throughPool(url: string, world: World): World["fetch"] {
  const pool = new NodePool([url], world, new AbortController().signal, undefined);
  return fetchOf((body) => pool.post(body));
}

describe("a range that is too wide is narrowed", () => {
  it.each(rangeRefusals)("$name: $status $code $message", async (refusal) => {
    const { found, requests } = await readAll(refusal);
    expect(found).toEqual(Array.from({ length: blocks }, (_, index) => index + 1));
    // Half of the limit at least, with some attempts at each width and some at wider ranges.
    expect(requests).toBeLessThan(3 * (blocks / (refusal.limit ?? 5)) + 40);
  });

  it.each([
    [429, "Too Many Requests"],
    [503, "<html>busy</html>"],
    [404, "not found"],
    [408, ""],
    [410, ""],
    [413, "<html>too large</html>"],
    [414, ""],
    [422, "{}"],
    [431, ""],
    [500, "oops"],
  ])("after any refusal, also HTTP status %s with %s", async (status, body) => {
    const { found } = await readAll({ name: "", status, body });
    expect(found).toHaveLength(blocks);
  });

  const cuts = ["cut", "cut-answer"] as const;
  it.each(
    cuts.flatMap((kind) => [
      { kind, at: "a client", fetchThrough: undefined },
      { kind, at: "a server", fetchThrough: throughPool },
    ]),
  )("when the node closes the connection of $at ($kind)", async ({ kind, fetchThrough }) => {
    const { found, requests } = await readAll({
      name: "",
      fault: { kind },
      ...(fetchThrough && { fetchThrough }),
    });
    expect(found).toHaveLength(blocks);
    expect(requests).toBeLessThan(3 * (blocks / 5) + 40);
  });
});

it("a range that a node calls unknown is narrowed although the node knows single blocks in it", async () => {
  const ranges = new LogRanges();
  const query = async (from: number, to: number): Promise<readonly number[]> => {
    if (to > from) throw new ReorgError("invalid block range params");
    return [from];
  };
  await expect(ranges.each(1, 4, query)).rejects.toThrow(ReorgError);
  expect(await ranges.each(9, 9, query)).toEqual([[9]]);
  expect(await ranges.each(1, 4, query)).toEqual([[1], [2], [3], [4]]);
});

it("a rate limit unrelated to the range causes a wait, not a flood of requests", async () => {
  let refusals = 12;
  const node = await startFaultyNode((call) => {
    if (refusals-- > 0) throw new NodeError(429, "Too many requests");
    const [from, to] = rangeOf(call);
    return from <= 7 && 7 <= to ? [rawLog(7, 0)] : [];
  });
  onTestFinished(() => node.stop());
  const client = createRpcClient(node.url, fastWorld());
  expect(await createRpcChain(client).logs(1, 1_000_000, filter)).toHaveLength(1);
  expect(node.exchanges.length).toBeLessThan(100);
});

it("the time that a node asks to wait is kept before a narrower range is asked for", async () => {
  const waits: number[] = [];
  const world = fastWorld();
  const node = await startFaultyNode((call) => {
    const [from] = rangeOf(call);
    return [rawLog(from, 0)];
  });
  onTestFinished(() => node.stop());
  const busy = { kind: "status", status: 429, headers: { "retry-after": "20" }, text: "busy" } as const;
  node.fail(busy, busy);
  const sleep = (time: number): Promise<void> => {
    waits.push(time);
    return world.sleep(time);
  };
  const client = createRpcClient(node.url, { ...world, sleep });
  expect(await createRpcChain(client).logs(1, 4, filter)).toHaveLength(2);
  expect(waits.filter((time) => time >= 20_000)).toHaveLength(2);
});

it("a whole batch that is refused with 503 is split", async () => {
  const node = await startFaultyNode(() => "0x1");
  onTestFinished(() => node.stop());
  node.rule((calls) => (calls.length > 3 ? { kind: "status", status: 503, text: "busy" } : undefined));
  const client = createRpcClient(node.url, fastWorld(), { patience: 60_000 });
  const asked = Array.from({ length: 20 }, (_, index) => client.request("ask", [index]));
  expect(await Promise.all(asked)).toHaveLength(20);
});
