import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { World } from "../../src/base/world.js";
import type { Asker, AskerKind } from "../../src/rpc/asker.js";
import { Consumer } from "../../src/rpc/consumer.js";
import type { Gateway } from "../../src/rpc/gateway.js";
import { Nodes, type NodesOptions } from "../../src/rpc/nodes.js";
import { serveNodes } from "../../src/rpc/serve-nodes.js";
import { PlayedClock } from "../platform/fidelity/played-clock.js";
import { until } from "../support/until.js";

interface Sent {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

const kinds = ["indexing", "pipelines", "datasets", "edge"] as const;
const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const ofKind = (kind: AskerKind, project = "p", more: Partial<Asker> = {}): Asker => ({
  kind,
  project,
  name: "",
  ...more,
});

let clock: PlayedClock;
let head = 1_000;
/** Distinguishes the blocks of branches. */
let fork = 0;
/** What the node was asked, and when. */
let calls: (Sent & { readonly at: number })[] = [];
let signals: (AbortSignal | null | undefined)[] = [];
/** Holds all answers of the node back, while it is there. */
let gate: Promise<void> | undefined;
let nodes: Nodes;
beforeEach(() => {
  clock = new PlayedClock();
  [head, fork, calls, signals, gate] = [1_000, 0, [], [], undefined];
});
afterEach(() => nodes.close());

function gatewayWith(options: NodesOptions = {}): Gateway {
  const world: World = {
    now: clock.now,
    timeout: clock.timeout,
    sleep: clock.sleep,
    random: () => 0.5,
    async fetch(_, { body, signal }) {
      signal?.throwIfAborted();
      const asked: Sent | Sent[] = JSON.parse(String(body));
      calls.push(...[asked].flat().map((call) => ({ ...call, at: clock.now() })));
      signals.push(signal);
      await gate;
      return Response.json(Array.isArray(asked) ? asked.map(answerTo) : answerTo(asked));
    },
  };
  // A single node of a network without a known chain needs no check of its id.
  nodes = new Nodes(new Map([["testnet-of-ours", ["http://node.test"]]]), world, options);
  const gateway = nodes.of("testnet-of-ours");
  if (!gateway) throw new Error("it has no gateway");
  return gateway;
}

function answerTo({ id, method, params }: Sent): object {
  if (method !== "eth_getBlockByNumber") return { id, result: `${method} ${calls.length}` };
  const number = params[0] === "latest" ? head : Number(params[0]);
  return { id, result: { number: `0x${number.toString(16)}`, hash: hashOf(number + fork) } };
}

async function ask(
  gateway: Gateway,
  asker: Asker | Consumer,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  const { status, bytes } = await gateway.answer(asker, JSON.stringify({ id: 1, method, params }));
  return status === 200 ? JSON.parse(new TextDecoder().decode(bytes)).result : status;
}

const asked = (method: string): number => calls.filter((call) => call.method === method).length;
const isHead = ({ method, params }: Sent): boolean =>
  method === "eth_getBlockByNumber" && params[0] === "latest";

/** Lets time pass. */
async function pass(milliseconds: number, step = 100): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += step) {
    clock.advance(step);
    await settled();
  }
}

describe("parts of a server that use the same nodes", () => {
  it("poll the head once together", async () => {
    const gateway = gatewayWith();
    for (const _ of kinds) gateway.onHead(() => undefined);
    await settled();
    for (let round = 0; round < 100; round++) {
      for (const kind of kinds) await ask(gateway, ofKind(kind), "eth_getBlockByNumber", "latest", false);
      await pass(100);
    }
    const times = calls.filter(isHead).map(({ at }) => at);
    expect(times.length).toBeGreaterThanOrEqual(9);
    for (const [index, at] of times.entries())
      if (index > 0) expect(at - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(1_000);
  });

  it.each([
    [1, 1, 60],
    [20, 5, 20],
    [50, 30, 20],
  ])("together send no more than %d requests per second, in batches of %d", async (rate, batch, seconds) => {
    const gateway = gatewayWith({ requestsPerSecond: rate });
    for (const _ of kinds) gateway.onHead(() => undefined);
    let unique = 0;
    const busy = async (kind: AskerKind): Promise<void> => {
      for (;;) {
        const body = Array.from({ length: batch }, () => ({
          id: ++unique,
          method: "eth_gasPrice",
          params: [kind],
        }));
        const { status } = await gateway.answer(ofKind(kind), JSON.stringify(body));
        if (status !== 200) return;
      }
    };
    const all = kinds.flatMap((kind) => Array.from({ length: 5 }, () => busy(kind)));
    await pass(seconds * 1_000);
    const times = calls.map(({ at }) => at);
    for (const [first, from] of times.entries()) {
      const inSecond = times.slice(first).filter((at) => at < from + 1_000).length;
      // A second may begin with what was not used before it, and end with a batch.
      expect(inSecond).toBeLessThanOrEqual(2 * Math.max(1, rate) + batch);
    }
    expect(times.length).toBeLessThanOrEqual((seconds + 1) * rate + batch);
    expect(times.length).toBeGreaterThan(0.8 * seconds * rate);
    const shares = kinds.map((kind) => calls.filter(({ params }) => params[0] === kind).length);
    expect(shares).toEqual(shares.toSorted((one, other) => other - one));
    expect(Math.min(...shares)).toBeGreaterThan(0);
    const heads = calls.filter(isHead).length;
    // Once per second, or as often as a quarter of the budget allows.
    const most = seconds * Math.min(1, rate / 4);
    expect(heads).toBeGreaterThanOrEqual(0.8 * most);
    expect(heads).toBeLessThanOrEqual(most + 1);
    nodes.close();
    await Promise.all(all);
  });

  it("ask a node once for the same data", async () => {
    const gateway = gatewayWith();
    const block = [{ blockHash: hashOf(5) }];
    const all = kinds.map((kind) => ask(gateway, new Consumer(ofKind(kind)), "eth_getLogs", ...block));
    expect(new Set(await Promise.all(all)).size).toBe(1);
    for (const kind of kinds) await ask(gateway, ofKind(kind), "eth_getLogs", ...block);
    expect(asked("eth_getLogs")).toBe(1);
  });

  it("do not request data that another part has received while they waited", async () => {
    const gateway = gatewayWith({ places: { edge: 1, indexing: 1 } });
    let open = (): void => undefined;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const slow = ask(gateway, ofKind("edge"), "eth_gasPrice");
    const waiting = ask(gateway, ofKind("edge"), "eth_getLogs", { blockHash: hashOf(5) });
    await settled();
    expect(gateway.waiting).toBe(1);
    // It does not wait for an edge client's turn, though that one has asked first.
    const indexing = ask(gateway, ofKind("indexing"), "eth_getLogs", { blockHash: hashOf(5) });
    await settled();
    expect(asked("eth_getLogs")).toBe(1);
    open();
    expect(await waiting).toBe(await indexing);
    await slow;
    expect(asked("eth_getLogs")).toBe(1);
  });

  it("end their own waits only, and no request that others share", async () => {
    const gateway = gatewayWith();
    let open = (): void => undefined;
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const leaving = new AbortController();
    const body = JSON.stringify({ id: 1, method: "eth_getLogs", params: [{ blockHash: hashOf(5) }] });
    const left = gateway.answer(ofKind("pipelines"), body, leaving.signal);
    await settled();
    const stays = gateway.answer(ofKind("indexing"), body, new AbortController().signal);
    await settled();
    leaving.abort();
    expect((await left).status).toBe(503);
    expect(signals.map((signal) => signal?.aborted)).toEqual([false]);
    open();
    expect((await stays).status).toBe(200);
    expect(asked("eth_getLogs")).toBe(1);
    const late = await gateway.answer(ofKind("pipelines"), body, leaving.signal);
    expect(late.status).toBe(503);
  });

  it("send nothing more for a thread that has ended", async () => {
    const gateway = gatewayWith({ places: { pipelines: 1 } });
    gate = new Promise(() => undefined);
    const { port1, port2 } = new MessageChannel();
    serveNodes(ofKind("pipelines"), gateway, undefined, port1);
    for (let id = 0; id < 5; id++) {
      const body = JSON.stringify({ id, method: "eth_gasPrice", params: [] });
      port2.postMessage({ id, name: "rpc", args: [body] });
    }
    await until(() => gateway.waiting === 4);
    port2.close();
    await until(() => gateway.waiting === 0);
    expect(asked("eth_gasPrice")).toBe(1);
  });

  it("learn once that a node is away", async () => {
    const said: string[] = [];
    const gateway = gatewayWith({ say: (level, text) => void said.push(`${level} ${text}`) });
    for (const _ of kinds) gateway.onHead(() => undefined);
    gate = Promise.reject(new Error("unreachable"));
    gate.catch(() => undefined);
    for (let round = 0; round < 10; round++) {
      for (const kind of kinds) await ask(gateway, ofKind(kind), "eth_gasPrice");
      await pass(1_000);
    }
    expect(said).toEqual([expect.stringMatching(/^warn No answer from the node of testnet-of-ours since/)]);
  });
});

describe("answers that parts of a server share", () => {
  it("are requested again for callers that accept only recent ones, and stay for the others", async () => {
    const gateway = gatewayWith();
    const edge = ofKind("edge", "p", { longestKept: 60_000 });
    const logs = (asker: Asker) => ask(gateway, asker, "eth_getLogs", { blockHash: hashOf(5) });
    const first = await logs(ofKind("indexing"));
    expect(await logs(edge)).toBe(first);
    clock.advance(60_001);
    expect(await logs(ofKind("datasets"))).toBe(first);
    const second = await logs(edge);
    expect(second).not.toBe(first);
    clock.advance(59_000);
    expect(await logs(edge)).toBe(second);
    clock.advance(3_600_000);
    expect([first, second]).toContain(await logs(ofKind("indexing")));
    expect(asked("eth_getLogs")).toBe(2);
  });

  it("are not displaced by answers to edge clients", async () => {
    const gateway = gatewayWith({ cacheBytes: 50_000 });
    const logs = (asker: Asker, number: number) =>
      ask(gateway, asker, "eth_getLogs", { blockHash: hashOf(number) });
    await logs(ofKind("indexing"), 0);
    for (let number = 1; number < 200; number++)
      await logs(ofKind("edge", "p", { longestKept: 60_000 }), number);
    const before = calls.length;
    await logs(ofKind("indexing"), 0);
    expect(calls.length).toBe(before);
  });

  it.each(kinds)("about blocks near the head end with the head, for %s", async (kind) => {
    const gateway = gatewayWith();
    gateway.onHead(() => undefined);
    await settled();
    const block = async () => ask(gateway, ofKind(kind), "eth_getBlockByNumber", "0x3e7", false);
    expect(await block()).toMatchObject({ hash: hashOf(999) });
    expect(await ask(gateway, ofKind("indexing"), "eth_getBlockByNumber", "0x3e7", false)).toMatchObject({
      hash: hashOf(999),
    });
    // A reorganisation of the same length, and then one that is shorter.
    for (const change of [0, -2]) {
      fork += 7;
      head += change;
      await pass(1_000);
      expect(await block()).toMatchObject({ hash: hashOf(999 + fork) });
    }
  });
});
