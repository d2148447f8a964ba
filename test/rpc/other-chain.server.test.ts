import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { allMeters, type Meters } from "../../src/base/meters.js";
import type { World } from "../../src/base/world.js";
import type { Asker } from "../../src/rpc/asker.js";
import { Consumer } from "../../src/rpc/consumer.js";
import { Gateway } from "../../src/rpc/gateway.js";
import { type FaultyNode, NodeError, startFaultyNode } from "../support/chain/faulty-node.js";
import { until } from "../support/until.js";
import { realWorld } from "../support/worlds.js";
import { askerNamed } from "./asker-named.js";

/** A node, and the id that it reports. */
interface ChainNode extends FaultyNode {
  id: number | NodeError;
}

let now = 0;
let said: string[] = [];
beforeEach(() => {
  [now, said] = [0, []];
});

/** A node that signs its answers with its chain. */
async function nodeOf(id: ChainNode["id"], at?: number): Promise<ChainNode> {
  const node = await startFaultyNode(({ method }) => {
    const { id: now } = made;
    if (method === "eth_chainId") {
      if (now instanceof NodeError) throw now;
      return `0x${now.toString(16)}`;
    }
    const name = `0x${String(now).padStart(64, "0")}`;
    return method === "eth_getBlockByNumber" ? { number: "0x5", hash: name } : `of ${now}`;
  }, at);
  const made: ChainNode = { ...node, id };
  onTestFinished(() => node.stop());
  return made;
}

function gatewayOf(
  nodes: readonly FaultyNode[],
  {
    network = "mainnet",
    requestsPerSecond,
    timeout = realWorld.timeout,
    meters,
  }: { network?: string; requestsPerSecond?: number; timeout?: World["timeout"]; meters?: Meters } = {},
): Gateway {
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const say = (level: string, text: string): void => void said.push(`${level}: ${text}`);
  return new Gateway(
    nodes.map(({ url }) => url),
    { pollInterval: 50, requestsPerSecond, metered: { network, meters, say } },
    { ...realWorld, now: () => now, timeout },
    closing.signal,
  );
}

const edge = askerNamed("edge");
const consumer = (): Consumer => new Consumer({ kind: "indexing", project: "p", name: "" });

/** The result of a call, the message of its error, or the status and the reason of a refusal. */
async function ask(
  gateway: Gateway,
  method = "eth_gasPrice",
  asker: Asker | Consumer = edge,
  only?: number,
): Promise<unknown> {
  const body = JSON.stringify({
    id: 1,
    method,
    params: method === "eth_getBlockByNumber" ? ["latest", false] : [],
  });
  const { status, bytes } = await gateway.answer(asker, body, undefined, only);
  const text = new TextDecoder().decode(bytes);
  if (status !== 200) return `${status} ${text}`;
  const { result, error } = JSON.parse(text);
  return result ?? error?.message;
}

const asked = ({ exchanges }: FaultyNode, method: string): number =>
  exchanges.flat().filter((call) => call.method === method).length;

describe("a node of another chain in a pool", () => {
  it.each([
    ["first", (right: ChainNode, wrong: ChainNode) => [wrong, right]],
    ["last", (right: ChainNode, wrong: ChainNode) => [right, wrong]],
  ])("is set aside with a sentence, and gives no answer, if it comes %s", async (_, order) => {
    const [right, wrong] = [await nodeOf(1), await nodeOf(137)];
    const gateway = gatewayOf(order(right, wrong));
    const sentence = `The node ${wrong.url} serves chain 137, but mainnet is chain 1. Its answers are not used`;
    for (const asker of [edge, consumer()]) {
      expect(await ask(gateway, "eth_gasPrice", asker)).toBe("of 1");
      expect(await ask(gateway, "eth_chainId", asker)).toBe("0x1");
    }
    await until(() => said.length > 0);
    expect(said).toEqual([`warn: ${sentence}`]);
    expect(gateway.setAside).toEqual(new Map([[wrong.url, sentence]]));
    expect(gateway.trouble).toBeUndefined();
    // Its answers are not used either while the other one is away.
    right.rule(() => ({ kind: "status", status: 503, text: "away" }));
    for (const asker of [edge, consumer()]) {
      for (const method of ["eth_gasPrice", "eth_chainId", "eth_getBlockByNumber"])
        expect([method, await ask(gateway, method, asker)]).not.toEqual([
          method,
          expect.stringMatching(/137|0x89/),
        ]);
    }
    expect(await ask(gateway)).toBe("503 away");
    expect(wrong.exchanges.flat().map(({ method }) => method)).toEqual(["eth_chainId"]);
    expect(gateway.chainId).toBe("1");
  });

  it("is used once it serves the right chain, and the log says so", async () => {
    const [right, other] = [await nodeOf(1), await nodeOf(137)];
    const gateway = gatewayOf([other, right]);
    expect(await ask(gateway)).toBe("of 1");
    other.id = 1;
    right.rule(() => ({ kind: "status", status: 503, text: "away" }));
    now += 60_000;
    expect(await ask(gateway)).toBe("of 1");
    expect(said.at(-1)).toBe(`info: The node ${other.url} of mainnet is used: it serves chain 1`);
    expect(gateway.setAside).toEqual(new Map());
  });

  it("is set aside when it takes the place of a node that was used", async () => {
    const [right, other] = [await nodeOf(1), await nodeOf(1)];
    const gateway = gatewayOf([other, right]);
    expect(await ask(gateway)).toBe("of 1");
    const { port } = new URL(other.url);
    await other.stop();
    expect(await ask(gateway)).toBe("of 1");
    const wrong = await nodeOf(137, Number(port));
    now += 60_000;
    expect(await ask(gateway)).toBe("of 1");
    expect(asked(wrong, "eth_gasPrice")).toBe(0);
    expect(gateway.setAside.size).toBe(1);
  });

  it("is set aside as soon as any client learns its chain, and its answers are dropped", async () => {
    const [right, other] = [await nodeOf(1), await nodeOf(1)];
    const gateway = gatewayOf([other, right]);
    expect(await ask(gateway)).toBe("of 1");
    other.id = 137;
    expect(await ask(gateway, "eth_chainId")).toBe("0x1");
    expect(await ask(gateway)).toBe("of 1");
    expect(gateway.setAside.size).toBe(1);
  });

  it("gives way to a node of the network's own chain if it may stand for any network", async () => {
    const [local, right] = [await nodeOf(31337), await nodeOf(1)];
    expect(await ask(gatewayOf([local, right]))).toBe("of 1");
    expect(said).toEqual([
      `warn: The node ${local.url} serves chain 31337, but mainnet is chain 1. Its answers are not used`,
    ]);
    const alone = gatewayOf([local]);
    expect(await ask(alone)).toBe("of 31337");
    expect(alone.setAside).toEqual(new Map());
  });

  it("is recognized by its difference from the first node, for a network without a known chain", async () => {
    const [first, second] = [await nodeOf(900_001), await nodeOf(900_002)];
    const gateway = gatewayOf([first, second], { network: "our-own" });
    expect(await ask(gateway)).toBe("of 900001");
    first.rule(() => ({ kind: "status", status: 503, text: "away" }));
    expect(await ask(gateway)).toBe("503 away");
    expect([...gateway.setAside.values()]).toEqual([
      `The node ${second.url} serves chain 900002, but another node of our-own serves chain 900001. Its answers are not used`,
    ]);
  });

  it("is not asked although it is the only one that a caller names", async () => {
    const [right, wrong] = [await nodeOf(1), await nodeOf(137)];
    const gateway = gatewayOf([right, wrong]);
    expect(await ask(gateway, "eth_gasPrice", edge, 0)).toBe("of 1");
    expect(await ask(gateway, "eth_gasPrice", edge, 1)).toMatch(/another chain/);
    expect(asked(wrong, "eth_gasPrice")).toBe(0);
  });
});

describe("the only node of a network, of another chain", () => {
  it("gives no answer, and a program that compares the id learns it", async () => {
    const node = await nodeOf(137);
    const gateway = gatewayOf([node]);
    const why =
      "mainnet is chain 1, but its node serves chain 137. Its answers are not used. Pass a node of mainnet, or correct the name of the network";
    for (const method of ["eth_gasPrice", "eth_chainId", "eth_getBlockByNumber"])
      expect(await ask(gateway, method)).toBe(`503 ${why}`);
    expect(await ask(gateway, "eth_gasPrice", consumer())).toBe(`503 ${why}`);
    expect(await ask(gateway, "eth_chainId", consumer())).toBe("0x89");
    expect(await ask(gateway, "eth_chainId")).toBe(`503 ${why}`);
    expect(gateway.trouble).toEqual({ kind: "other-chain", since: 0, why });
    expect(asked(node, "eth_gasPrice")).toBe(0);
    node.id = 1;
    now += 1_000;
    expect(await ask(gateway)).toBe("of 1");
    expect(gateway.trouble).toBeUndefined();
  });

  it("is asked for its id at most once a second, for any number of requests", async () => {
    const node = await nodeOf(137);
    const gateway = gatewayOf([node]);
    for (let count = 0; count < 20; count++) await ask(gateway);
    expect(node.exchanges.length).toBe(1);
  });
});

describe("a node whose chain is uncertain", () => {
  it("is used if it does not report an id, and not asked for it again", async () => {
    const node = await nodeOf(new NodeError(-32601, "the method eth_chainId does not exist"));
    const gateway = gatewayOf([node]);
    for (let count = 0; count < 3; count++) {
      expect(await ask(gateway)).toMatch(/^of /);
      now += 60_000;
    }
    expect(asked(node, "eth_chainId")).toBe(1);
  });

  it("is not used while it refuses to answer, if another node answers", async () => {
    const [busy, right] = [await nodeOf(new NodeError(-32005, "limit exceeded")), await nodeOf(1)];
    const gateway = gatewayOf([busy, right]);
    expect(await ask(gateway)).toBe("of 1");
    busy.id = 137;
    right.rule(() => ({ kind: "status", status: 503, text: "away" }));
    expect(await ask(gateway)).toBe("503 away");
    expect(asked(busy, "eth_gasPrice")).toBe(0);
  });

  it("keeps its trust when it refuses to say its id again", async () => {
    const node = await nodeOf(1);
    const gateway = gatewayOf([node]);
    expect(await ask(gateway)).toBe("of 1");
    node.id = new NodeError(-32005, "limit exceeded");
    now += 60_000;
    expect(await ask(gateway)).toMatch(/^of /);
  });
});

it("a request for a known id that is not answered delays no caller", async () => {
  const node = await nodeOf(1);
  let late = new AbortController();
  const outcomes: string[] = [];
  const meters = allMeters([{ askedNode: (_, outcome) => void outcomes.push(outcome) }]);
  const gateway = gatewayOf([node], { timeout: () => late.signal, meters });
  const askAll = () =>
    Promise.all([edge, askerNamed("other"), consumer()].map((asker) => ask(gateway, "eth_call", asker)));
  const all = ["of 1", "of 1", "of 1"];
  expect(await askAll()).toEqual(all);
  node.rule(([call]) => (call?.method === "eth_chainId" ? { kind: "silence" } : undefined));
  for (let count = 1; count < 4; count++) {
    now += 25_000;
    expect(await askAll()).toEqual(all);
    await until(() => asked(node, "eth_chainId") === 1 + count);
    now += 30_000;
    expect(await askAll()).toEqual(all);
    late.abort();
    late = new AbortController();
    await until(() => outcomes.filter((outcome) => outcome === "away").length === count);
  }
});

it("a request to the next node is taken from the budget, too", async () => {
  const [first, second] = [await nodeOf(1), await nodeOf(1)];
  first.rule(() => ({ kind: "status", status: 503, text: "away" }));
  const gateway = gatewayOf([first, second], { requestsPerSecond: 10 });
  for (let count = 0; count < 20; count++)
    void gateway.answer(
      askerNamed(`${count}`),
      JSON.stringify({ id: 1, method: "eth_gasPrice", params: [count] }),
    );
  await until(() => gateway.waiting > 0 && second.exchanges.length > 0);
  expect(first.exchanges.length + second.exchanges.length).toBeLessThanOrEqual(2 * 10 + 2);
});
