import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Meters } from "../../src/base/meters.js";
import { Gateway, type GatewayOptions } from "../../src/rpc/gateway.js";
import { splitAnswers } from "../../src/rpc/split-answers.js";
import { type FaultyNode, NodeError, type RpcCall, startFaultyNode } from "../support/chain/faulty-node.js";
import { until } from "../support/until.js";
import { realWorld } from "../support/worlds.js";
import { askerNamed } from "./asker-named.js";

const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;

let head = 1_000;
let fork = 0;
/** What the node says of the time of its head. */
let timestamp: unknown;
let node: FaultyNode;
let other: FaultyNode;
let closing: AbortController;
/** Milliseconds of a clock that the tests advance. */
let now = 0;
beforeEach(async () => {
  now = 0;
  head = 1_000;
  fork = 0;
  timestamp = undefined;
  closing = new AbortController();
  node = await startFaultyNode(answer);
  other = await startFaultyNode(answer);
});
afterEach(async () => {
  closing.abort();
  await node.stop();
  await other.stop();
});

function answer({ method, params }: RpcCall): unknown {
  if (method === "eth_getBlockByNumber") {
    const number = params[0] === "latest" ? head : Number(params[0]);
    if (number > head) return null;
    return {
      number: `0x${number.toString(16)}`,
      hash: hashOf(number + fork),
      timestamp,
      text: '\\" ]}, "id": 7',
    };
  }
  if (method === "eth_call") throw new NodeError(3, "execution reverted: see http://127.0.0.1/secret-path");
  return { method, params };
}

function gateway(options: Partial<GatewayOptions> = {}, addresses = [node.url]): Gateway {
  const all = { places: { edge: 4 }, pollInterval: 50, cacheBytes: 1_000_000, ...options };
  return new Gateway(addresses, all, { ...realWorld, now: () => now }, closing.signal);
}

let lastId = 0;
async function ask(
  to: Gateway,
  requests: readonly (readonly [string, ...unknown[]])[],
  asker = "a",
): Promise<unknown[]> {
  const first = lastId + 1;
  lastId += requests.length;
  const body = requests.map(([method, ...params], index) => ({ id: first + index, method, params }));
  const { status, bytes } = await to.answer(askerNamed(asker), JSON.stringify(body));
  expect(status).toBe(200);
  const answers = JSON.parse(new TextDecoder().decode(bytes)) as {
    id: number;
    result?: unknown;
    error?: unknown;
  }[];
  expect(answers.map(({ id }) => id)).toEqual(body.map(({ id }) => id));
  return answers.map(({ result, error }) => result ?? error ?? null);
}

const asked = (of: FaultyNode, method: string): number =>
  of.exchanges.flat().filter((call) => call.method === method).length;

describe("the nodes of a network", () => {
  it("nodes are asked once for final data, and again for data that may change", async () => {
    const nodes = gateway();
    await ask(nodes, [["eth_getBlockByNumber", "latest", false]]);
    const old = ["eth_getBlockByNumber", "0x10", true] as const;
    const byHash = ["eth_getLogs", { blockHash: hashOf(5), topics: [] }] as const;
    const recent = ["eth_getBlockByNumber", "0x3e0", true] as const;
    const first = await ask(nodes, [old, byHash, recent]);
    const before = node.exchanges.length;
    expect(await ask(nodes, [recent, byHash, old], "b")).toEqual([first[2], first[1], first[0]]);
    expect(node.exchanges.length).toBe(before);
    fork = 1;
    head += 1;
    now += 51;
    expect(await ask(nodes, [recent])).toMatchObject([{ hash: hashOf(0x3e1) }]);
    expect((await ask(nodes, [old]))[0]).toEqual(first[0]);
  });

  it("nodes are asked again for data that they did not know or refused", async () => {
    const nodes = gateway();
    const future = ["eth_getBlockByNumber", "0x3e9", true] as const;
    expect(await ask(nodes, [future])).toEqual([null]);
    head += 1;
    expect(await ask(nodes, [future])).toMatchObject([{ hash: hashOf(1_001) }]);
    const call = ["eth_call", { to: "0x1" }, { blockHash: hashOf(5) }] as const;
    expect(await ask(nodes, [call, ["eth_chainId"]])).toMatchObject([{ code: 3 }, { method: "eth_chainId" }]);
    expect(await ask(nodes, [call])).toMatchObject([{ code: 3 }]);
    expect(asked(node, "eth_call")).toBe(2);
  });

  it("concurrent identical requests reach a node once", async () => {
    const nodes = gateway();
    const request = ["eth_getLogs", { blockHash: hashOf(5) }] as const;
    const answers = await Promise.all(["a", "b", "c"].map((asker) => ask(nodes, [request], asker)));
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(asked(node, "eth_getLogs")).toBe(1);
  });

  it("nodes are asked for the head once for all listeners", async () => {
    const nodes = gateway({ pollInterval: 500 });
    const heads: number[] = [];
    const stops = Array.from({ length: 20 }, () => nodes.onHead(({ number }) => heads.push(number)));
    await expect.poll(() => heads.length).toBe(20);
    head += 1;
    await expect.poll(() => heads.filter((number) => number === 1_001).length).toBe(20);
    const polls = asked(node, "eth_getBlockByNumber");
    expect(polls).toBeLessThan(20);
    for (const stop of stops) stop();
    await expect.poll(() => nodes.head?.number).toBe(1_001);
  });

  it("nodes replace each other on failure, and no address secret is revealed", async () => {
    const nodes = gateway({}, [`${node.url}/secret-path`, other.url]);
    node.rule(() => ({ kind: "status", status: 429, text: `ask ${node.url}/secret-path less` }));
    expect(await ask(nodes, [["eth_chainId"]])).toEqual([{ method: "eth_chainId", params: [] }]);
    const before = node.exchanges.length;
    await ask(nodes, [["net_version"]]);
    expect(node.exchanges.length).toBe(before);
    other.rule(() => ({ kind: "cut" }));
    const { status, bytes } = await nodes.answer(
      askerNamed("a"),
      JSON.stringify({ id: 1, method: "x", params: [] }),
    );
    expect(status).toBe(429);
    expect(new TextDecoder().decode(bytes)).not.toContain("secret");
    expect(
      JSON.stringify(await ask(gateway({}, [`${other.url}/secret-path`]), []).catch(() => "")),
    ).not.toContain("secret");
  });

  it("the reason for a missing answer is logged with the count, on one line and without the keys of the address", async () => {
    const told: unknown[] = [];
    const meters = {
      called: () => undefined,
      askedNode: (...asked: unknown[]) => void told.push(asked),
    } as unknown as Meters;
    const nodes = gateway({ metered: { network: "mainnet", meters } }, [
      `${node.url}/secret-path`,
      other.url,
    ]);
    await ask(nodes, [["eth_chainId"]]);
    await until(() => told.length === 3);
    told.length = 0;
    const text = `ask ${node.url}/secret-path\nless\u001b[31m ${"often ".repeat(100)}`;
    node.fail({ kind: "status", status: 429, text });
    await ask(nodes, [["eth_chainId"]]);
    expect(told).toEqual([
      ["mainnet", "limited", 0, node.url, expect.any(String)],
      ["mainnet", "answered", 0, other.url],
    ]);
    const [[, , , , why]] = told as [[string, string, number, string, string]];
    expect(why).toMatch(/^HTTP status 429: ask …\\nless\\u001b\[31m often often /);
    expect(why.length).toBeLessThan(330);
    other.fail({ kind: "cut" });
    node.fail({ kind: "status", status: 500 });
    await nodes.answer(askerNamed("a"), JSON.stringify({ id: 1, method: "net_version", params: [] }));
    expect(told.slice(2)).toEqual([
      ["mainnet", "away", 0, other.url, expect.not.stringContaining("HTTP status")],
      ["mainnet", "away", 0, node.url, "HTTP status 500"],
    ]);
  });

  it("the cache of answers stays within its size", async () => {
    const nodes = gateway({ cacheBytes: 20_000 });
    for (let one = 0; one < 200; one++) await ask(nodes, [["eth_getLogs", { blockHash: hashOf(one) }]]);
    await ask(nodes, [["eth_getLogs", { blockHash: hashOf(199) }]]);
    expect(asked(node, "eth_getLogs")).toBe(200);
    await ask(nodes, [["eth_getLogs", { blockHash: hashOf(0) }]]);
    expect(asked(node, "eth_getLogs")).toBe(201);
  });
});

describe("splitting an answer", () => {
  const parts = (json: string) =>
    splitAnswers(new TextEncoder().encode(json))?.map((part) => [
      part.id,
      textOf(part.result),
      textOf(part.error),
    ]);
  const textOf = (bytes: Uint8Array | undefined) => bytes && new TextDecoder().decode(bytes);

  it.each<[string, unknown]>([
    ['{"id":1,"result":null}', [["1", "null", undefined]]],
    [
      ' [ {"result" : "a\\\\\\"]" , "id": 2 } , {"id":3,"error":{"code":1}} ] ',
      [
        ["2", '"a\\\\\\"]"', undefined],
        ["3", undefined, '{"code":1}'],
      ],
    ],
    ['{"id":1,"result":{"id":9,"result":[{"a":"}"}]}}', [["1", '{"id":9,"result":[{"a":"}"}]}', undefined]]],
    ["[]", []],
    ["", undefined],
    ["<html>", undefined],
    ['[{"id":1', undefined],
    ['[{"id":1}', undefined],
    ['{"id":"x', undefined],
  ])("splits the answer %s", (json, expected) => {
    expect(parts(json)).toEqual(expected);
  });
});

describe("the time of a chain's head", () => {
  it("is its own and not that of this machine, and unknown if the node does not say it", async () => {
    const opened = gateway();
    await opened.glance(5_000);
    expect([opened.head?.number, opened.headTime]).toEqual([1_000, undefined]);
    for (const [said, time] of [
      ["0x65000000", 0x65000000 * 1_000],
      ["tomorrow", undefined],
      [`0x${"f".repeat(40)}`, undefined],
    ]) {
      timestamp = said;
      now += 10_000;
      await opened.glance(5_000);
      expect([said, opened.headTime]).toEqual([said, time]);
    }
  });
});
