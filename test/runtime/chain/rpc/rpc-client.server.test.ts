import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ChainError, ReorgError } from "../../../../src/runtime/chain/chain.js";
import { RequestLimitError } from "../../../../src/runtime/chain/rpc/request-budget.js";
import {
  createRpcClient,
  type RpcClient,
  type RpcClientOptions,
} from "../../../../src/runtime/chain/rpc/rpc-client.js";
import { RpcError, StrainError } from "../../../../src/runtime/chain/rpc-errors.js";
import {
  type Fault,
  type FaultyNode,
  NodeError,
  startFaultyNode,
} from "../../../support/chain/faulty-node.js";
import { startDouble } from "../../../support/network/double-server.js";
import { type FastWorld, fastWorld } from "../../../support/worlds.js";

let node: FaultyNode;
let world: FastWorld;
let answer: (method: string, parameters: readonly unknown[]) => unknown;

beforeEach(async () => {
  answer = (method, parameters) => `${method}(${parameters.join()})`;
  node = await startFaultyNode(({ method, params }) => answer(method, params));
  world = fastWorld({ time: Date.UTC(2026, 0, 1) });
});
afterEach(() => node.stop());

const client = (options?: RpcClientOptions, url = node.url): RpcClient =>
  createRpcClient(url, world, options);
const ask = (to: RpcClient, ...parameters: readonly unknown[]): Promise<unknown> =>
  to.request("ask", parameters);
const askAll = (to: RpcClient, count: number): Promise<unknown[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(to, index)));
const expected = (count: number): string[] => Array.from({ length: count }, (_, index) => `ask(${index})`);
const sizes = (): number[] => node.exchanges.map((calls) => calls.length);

/** The error of a promise that is to be rejected. */
async function failure(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => "fulfilled",
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error("It did not fail");
}

describe("batches", () => {
  it("batches the requests of one tick, and assigns each its own answer", async () => {
    expect(await askAll(client(), 3)).toEqual(expected(3));
    expect(sizes()).toEqual([3]);
    expect(node.exchanges[0]?.map(({ params }) => params)).toEqual([[0], [1], [2]]);
  });

  it("limits the size of batches and their concurrency", async () => {
    let open = 0;
    const seen: number[] = [];
    const { fetch } = world;
    const counting: FastWorld = {
      ...world,
      fetch: async (url, request) => {
        seen.push(++open);
        try {
          return await fetch(url, request);
        } finally {
          open--;
        }
      },
    };
    const to = createRpcClient(node.url, counting, { batch: 2, concurrency: 2 });
    expect(await askAll(to, 9)).toEqual(expected(9));
    expect(sizes().toSorted()).toEqual([1, 2, 2, 2, 2]);
    expect(Math.max(...seen)).toBe(2);
  });

  it("accepts the answers of a batch in any order", async () => {
    node.fail({ kind: "reversed" });
    expect(await askAll(client(), 5)).toEqual(expected(5));
  });

  it("repeats only the unanswered requests of a batch", async () => {
    node.fail({ kind: "half" });
    expect(await askAll(client(), 5)).toEqual(expected(5));
    expect(node.exchanges.map((calls) => calls.map(({ params }) => params[0]))).toEqual([
      [0, 1, 2, 3, 4],
      [1, 3],
    ]);
  });

  it.each([
    { kind: "error", code: -32600, message: "batch requests are disabled" } as const,
    { kind: "status", status: 400, text: "bad request" } as const,
    { kind: "status", status: 413 } as const,
  ])("replaces batches that the node refuses ($kind $status) with single requests permanently", async (fault) => {
    node.rule((_, isBatch) => (isBatch ? fault : undefined));
    const to = client();
    expect(await askAll(to, 5)).toEqual(expected(5));
    const before = node.exchanges.length;
    expect(await askAll(to, 3)).toEqual(expected(3));
    expect(sizes().slice(before)).toEqual([1, 1, 1]);
    expect(world.waits).toEqual([]);
  });

  it("makes batches as small as the node requires", async () => {
    node.rule((calls) =>
      calls.length > 3 ? { kind: "error", code: -32005, message: "batch too large" } : undefined,
    );
    const to = client({ batch: 16, concurrency: 1 });
    expect(await askAll(to, 16)).toEqual(expected(16));
    expect(sizes()).toEqual([16, 8, 4, 2, 2, 2, 2, 2, 2, 2, 2]);
  });

  it.each<[string, Fault]>([
    ["a status", { kind: "status", status: 429 }],
    ["one error", { kind: "error", code: -32005, message: "rate limit exceeded" }],
  ])("makes batches smaller if waiting does not help against a rate limit, reported by %s", async (_, fault) => {
    node.rule((calls) => (calls.length > 3 ? fault : undefined));
    const to = client({ batch: 16, concurrency: 1 });
    expect(await askAll(to, 16)).toEqual(expected(16));
    expect(sizes()).toEqual([16, 16, 8, 8, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2]);
    // They grow again.
    for (let count = 0; count < 16; count++) await ask(to, count);
    await askAll(to, 3);
    expect(sizes().at(-1)).toBe(3);
  });

  it("makes batches smaller when each of their requests is refused by a rate limit, again and again", async () => {
    let together = 0;
    node.rule((calls) => {
      together = calls.length;
      return undefined;
    });
    answer = (_, [index]) => {
      if (together > 3) throw new NodeError(429, "Too Many Requests");
      return `ask(${index})`;
    };
    expect(await askAll(client({ batch: 8, concurrency: 1 }), 8)).toEqual(expected(8));
    expect(sizes()).toEqual([8, 8, 4, 4, 2, 2, 2, 2]);
  });

  it("leaves batches unchanged when waiting helps against a rate limit", async () => {
    node.fail({ kind: "status", status: 429 });
    expect(await askAll(client(), 16)).toEqual(expected(16));
    expect(sizes()).toEqual([16, 16]);
  });

  it("replaces batches with single requests when only the first request is answered", async () => {
    node.rule((calls) =>
      calls.length > 1 ? { kind: "text", text: '{"jsonrpc":"2.0","result":1}' } : undefined,
    );
    expect(await askAll(client({ batch: 4 }), 4)).toEqual(expected(4));
    expect(sizes()).toEqual([4, 2, 1, 1, 1, 1]);
  });

  it("grows batches again after strain, but not after a refusal", async () => {
    const to = client({ batch: 2, concurrency: 1 });
    node.fail({ kind: "cut-answer" });
    await askAll(to, 2);
    expect(sizes()).toEqual([2, 1, 1]);
    for (let count = 0; count < 16; count++) await ask(to, count);
    const before = sizes().length;
    await askAll(to, 2);
    expect(sizes().slice(before)).toEqual([2]);
    node.fail({ kind: "status", status: 413 });
    await askAll(to, 2);
    for (let count = 0; count < 40; count++) await ask(to, count);
    const later = sizes().length;
    await askAll(to, 2);
    expect(sizes().slice(later)).toEqual([1, 1]);
  });

  it("splits batches whose answers are too large together", async () => {
    let together = 0;
    node.rule((calls) => {
      together = calls.length;
      return undefined;
    });
    answer = (_, [index]) => {
      if (together > 2 && Number(index) > 1) throw new NodeError(-32003, "response too large");
      return `ask(${index})`;
    };
    expect(await askAll(client({ batch: 4 }), 4)).toEqual(expected(4));
    expect(sizes()).toEqual([4, 2]);
  });
});

describe("temporary failures are retried", () => {
  it.each([
    ["a connection that is cut", { kind: "cut" }],
    ["an answer that breaks off", { kind: "cut-answer" }],
    ["status 502", { kind: "status", status: 502, text: "<html>Bad gateway</html>" }],
    ["status 500 without an answer", { kind: "status", status: 500 }],
    ["no JSON", { kind: "text", text: "<html>" }],
    ["half of a JSON", { kind: "text", text: '{"jsonrpc":"2.0","result":' }],
    ["JSON that is no answer", { kind: "text", text: '{"jsonrpc":"2.0"}' }],
    ["nothing at all", { kind: "text", text: "" }],
    ["an empty batch", { kind: "text", text: "[]" }],
    ["a rate limit told as an error", { kind: "error", code: -32005, message: "Too Many Requests" }],
  ] as const)("%s", async (_, fault) => {
    node.fail(fault, fault);
    expect(await askAll(client(), 2)).toEqual(expected(2));
    expect(node.exchanges.length).toBeGreaterThanOrEqual(3);
    expect(world.waits.length).toBe(2);
  });

  it("no answer in time", async () => {
    node.fail({ kind: "silence" });
    expect(await ask(client({ timeout: 50 }), 1)).toBe("ask(1)");
    // On a busy machine the second attempt may be late as well.
    expect(sizes().length).toBeGreaterThan(1);
  });

  it("retries until a missing node is back", async () => {
    const { url } = node;
    await node.stop();
    const reasons: string[] = [];
    world = { ...world, sleep: async (wait) => comeBack(wait) };
    async function comeBack(wait: number): Promise<void> {
      world.waits.push(wait);
      if (world.waits.length < 5) return;
      node = await startFaultyNode(({ method, params }) => answer(method, params), Number(new URL(url).port));
    }
    expect(await askAll(client({ onRetry: (why) => reasons.push(why) }, url), 3)).toEqual(expected(3));
    expect(reasons.length).toBe(5);
    expect(reasons[0]).toMatch(/ECONNREFUSED/);
  });

  it("waits longer and longer between retries, with jitter", async () => {
    const faults = Array.from({ length: 9 }, () => ({ kind: "status", status: 503 }) as const);
    node.fail(...faults);
    await ask(client(), 1);
    expect(world.waits).toEqual([125, 250, 500, 1000, 2000, 4000, 7500, 7500, 7500]);
    world = fastWorld({ random: 0.5 });
    node.fail(...faults.slice(0, 2));
    await ask(client(), 1);
    expect(world.waits).toEqual([187.5, 375]);
  });

  it.each([
    ["7", 7_000],
    ["Thu, 01 Jan 2026 00:00:20 GMT", 20_000],
    ["soon", 125],
    ["0", 125],
  ])("respects the Retry-After header of a busy node: %s", async (header, wait) => {
    node.fail({ kind: "status", status: 429, headers: { "retry-after": header } });
    await ask(client(), 1);
    expect(world.waits).toEqual([wait]);
  });
});

describe("patience", () => {
  it("fails after its patience with the attempts and the last answer", async () => {
    node.rule(() => ({ kind: "status", status: 503, text: "down for maintenance" }));
    const error = await failure(ask(client(), 1));
    expect(error).toBeInstanceOf(ChainError);
    const { host } = new URL(node.url);
    expect(error.message).toMatch(
      new RegExp(
        `^ask: no usable answer from http://${host} after \\d+ attempts in \\d+ s. Last problem: HTTP status 503: down for maintenance$`,
      ),
    );
    const spent = world.waits.reduce((sum, wait) => sum + wait, 0);
    expect(spent).toBeGreaterThan(570_000);
    expect(spent).toBeLessThanOrEqual(600_000);
  });

  it("does not wait beyond its patience", async () => {
    node.fail({ kind: "status", status: 429, headers: { "retry-after": "3600" } });
    const error = await failure(ask(client({ patience: 60_000 }), 1));
    expect(error.message).toMatch(
      /after 1 attempt in 0 s\. Last problem: HTTP status 429 \(the node asks to wait 3600 s\)$/,
    );
    expect(world.waits).toEqual([]);
  });

  it("keeps repeating a lost request while the node answers others", async () => {
    const stuck = new Set(Array.from({ length: 40 }, (_, index) => index));
    node.rule(([call]) => {
      if (call?.params[0] !== "stuck" || stuck.size === 0) return undefined;
      stuck.delete(stuck.size - 1);
      return { kind: "status", status: 503 };
    });
    const { sleep } = world;
    let others: (() => Promise<unknown>) | undefined;
    const sleepBeside = async (wait: number): Promise<void> => {
      await sleep(wait);
      await others?.();
    };
    world = { ...world, sleep: sleepBeside };
    const to = client({ patience: 15_000 });
    const impatient = await failure(ask(to, "stuck"));
    expect(impatient.message).toContain("no usable answer");
    others = () => ask(to, "other");
    expect(await ask(to, "stuck")).toBe("ask(stuck)");
  });

  it("makes a second attempt even if its patience is shorter than the timeout", async () => {
    let time = 0;
    world = { ...world, now: () => time };
    const { timeout } = world;
    world = {
      ...world,
      timeout: (milliseconds) => {
        time += 30_000;
        return timeout(milliseconds);
      },
    };
    node.fail({ kind: "silence" });
    expect(await ask(client({ timeout: 200, patience: 15_000 }), 1)).toBe("ask(1)");
    node.rule(() => ({ kind: "silence" }));
    const before = node.exchanges.length;
    await failure(ask(client({ timeout: 50, patience: 15_000 }), 1));
    expect(node.exchanges.length - before).toBe(2);
  });

  it("stops retrying when the world aborts a wait", async () => {
    node.fail({ kind: "cut" });
    const stopped = new Error("stopped");
    world = { ...world, sleep: () => Promise.reject(stopped) };
    const to = client();
    expect(await Promise.all([failure(ask(to, 1)), failure(ask(to, 2))])).toEqual([stopped, stopped]);
    expect(await ask(to, 3)).toBe("ask(3)");
  });

  it("limits strained attempts to the number that the caller sets", async () => {
    node.fail({ kind: "cut-answer" }, { kind: "cut" }, { kind: "cut-answer" });
    const to = client();
    const error = await failure(to.request("ask", [1], { strain: 2 }));
    expect(error).toBeInstanceOf(StrainError);
    // A connection that was never answered does not count, and after the end nothing more is sent.
    await ask(to, 2);
    expect(node.exchanges.map((calls) => calls[0]?.params)).toEqual([[1], [1], [1], [2]]);
  });
});

describe("a limited number of requests", () => {
  it("counts each request of a batch and each repetition, and sends no more", async () => {
    node.fail({ kind: "status", status: 503 });
    const to = client({ maxRequests: 5, concurrency: 1 });
    const outcomes = await Promise.allSettled([0, 1, 2, 3].map((index) => ask(to, index)));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "rejected"]);
    expect(sizes()).toEqual([4, 1]);
    const error = await failure(ask(to, 4));
    expect(error).toBeInstanceOf(RequestLimitError);
    expect(error).not.toBeInstanceOf(ChainError);
    expect(error.message).toBe("the limit of 5 requests to the node was reached");
    expect(sizes()).toEqual([4, 1]);
  });

  it("sends as many requests as allowed, whether or not others are under way", async () => {
    const to = client({ maxRequests: 10, batch: 3, concurrency: 3 });
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => ask(to, index)));
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBe(10);
    expect(sizes().reduce((sum, size) => sum + size, 0)).toBe(10);
  });
});

describe("a limited rate of requests", () => {
  it.each([
    [5, 1],
    [40, 4],
  ])("of %s per second sends at most that many in any second, in batches of %s", async (rate, batch) => {
    const sent: { readonly at: number; readonly requests: number }[] = [];
    const { fetch } = world;
    world = {
      ...world,
      fetch: (url, request) => {
        const calls: unknown = JSON.parse(String(request.body));
        sent.push({ at: world.now(), requests: Array.isArray(calls) ? calls.length : 1 });
        return fetch(url, request);
      },
    };
    node.fail({ kind: "cut" });
    expect(await askAll(client({ requestsPerSecond: rate, concurrency: 1 }), 100)).toEqual(expected(100));
    expect(Math.max(...sent.map(({ requests }) => requests))).toBe(batch);
    for (const { at } of sent) {
      const within = sent.filter((other) => other.at >= at && other.at < at + 1_000);
      expect(within.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(rate);
    }
    const spent = (sent.at(-1)?.at ?? 0) - (sent[0]?.at ?? 0);
    expect(spent).toBeLessThan((100 / rate) * 1_000 + 1_000);
  });
});

describe("permanent refusals are not retried", () => {
  it("does not retry a permanent JSON-RPC error", async () => {
    answer = () => {
      throw new NodeError(-32000, "execution reverted", "0x08c379a0");
    };
    const error = await failure(ask(client(), 1));
    expect(error).toBeInstanceOf(RpcError);
    expect(error).toMatchObject({ code: -32000, reason: "execution reverted", data: "0x08c379a0" });
    expect(sizes()).toEqual([1]);
  });

  it("does not retry a refused request of a batch, and answers the others", async () => {
    answer = (_, [index]) => {
      if (index === 1) throw new NodeError(-32601, "the method ask does not exist/is not available");
      return index;
    };
    const to = client();
    const outcomes = await Promise.allSettled([ask(to, 0), ask(to, 1), ask(to, 2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(sizes()).toEqual([3]);
  });

  it.each([
    [401, "no"],
    [404, "<h1>no</h1>"],
  ])("does not retry after the HTTP status %s", async (status, text) => {
    node.fail({ kind: "status", status, text });
    const error = await failure(ask(client(), 1));
    expect(error).toBeInstanceOf(ChainError);
    expect(error.message.endsWith(`answered with HTTP status ${status}: ${text}`)).toBe(true);
    expect(sizes()).toEqual([1]);
  });

  it("retries twice after the HTTP status 403, which servers before a node send for a moment", async () => {
    const forbidden = { kind: "status", status: 403, text: "<html>checking</html>" } as const;
    node.fail(forbidden, forbidden);
    expect(await ask(client(), 1)).toBeDefined();
    node.fail(forbidden, forbidden, forbidden);
    const error = await failure(ask(client(), 1));
    expect(error.message).toContain("answered with HTTP status 403: <html>checking</html>");
    expect(sizes()).toHaveLength(6);
  });

  it("accepts a JSON-RPC answer that has an error status", async () => {
    const text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"wrong parameters"}}';
    node.fail({ kind: "status", status: 400, text }, { kind: "status", status: 500, text });
    const to = client();
    expect(await failure(ask(to, 1))).toMatchObject({ code: -32602, reason: "wrong parameters" });
    expect(await failure(ask(to, 1))).toMatchObject({ code: -32602, reason: "wrong parameters" });
  });

  it.each([
    "header not found",
    "unknown block",
    "Resource not found",
    "header for hash not found",
  ])("throws a ReorgError for a block that is gone: %s", async (message) => {
    answer = () => {
      throw new NodeError(-32000, message);
    };
    expect(await failure(ask(client(), 1))).toBeInstanceOf(ReorgError);
    expect(sizes()).toEqual([1]);
  });
});

describe("the secrets of an address", () => {
  const KEY = "s3cr3t-k3y-0123456789";

  it("sends the secrets of a URL as authorization, not in the address", async () => {
    await ask(client({}, node.url.replace("http://", "http://user%40home:pa%3Ass@")), 1);
    expect(node.headers().authorization).toBe(`Basic ${Buffer.from("user@home:pa:ss").toString("base64")}`);
  });

  it.each([
    ["a password", (url: string) => url.replace("http://", `http://somebody:${KEY}@`)],
    ["a path", (url: string) => `${url}/v3/${KEY}`],
    ["a query", (url: string) => `${url}/?token=${KEY}`],
  ])("redacts the secrets of a URL in errors: %s", async (_, address) => {
    const url = address(node.url);
    const reasons: string[] = [];
    node.fail(
      { kind: "status", status: 503, text: `${url} is down` },
      { kind: "text", text: `no JSON: ${KEY}` },
      { kind: "error", code: 1, message: `rate limit of ${KEY}` },
      { kind: "error", code: 2, message: `invalid API key ${KEY} at ${url}` },
    );
    const refused = await failure(ask(client({ onRetry: (why) => reasons.push(why) }, url), 1));
    node.fail({ kind: "status", status: 401, text: `unknown key ${KEY}` });
    const unauthorised = await failure(ask(client({}, url), 1));
    node.rule(() => ({ kind: "status", status: 500, text: `sorry, ${KEY}` }));
    const impatient = await failure(ask(client({ patience: 0 }, url), 1));
    node.rule(() => undefined);
    node.fail({ kind: "error", code: 1, message: `rate limit of ${KEY}` });
    await askAll(client({ onRetry: (why) => reasons.push(why) }, url), 2);
    const texts = [...reasons, ...[refused, unauthorised, impatient].map(String)];
    expect(texts.length).toBe(7);
    for (const text of texts) expect(text).not.toContain(KEY);
    expect(refused).toMatchObject({ code: 2 });
  });

  it.each([
    301, 302, 303, 307, 308,
  ])("does not follow a redirect with the secrets of a URL: %s", async (status) => {
    const other = await startFaultyNode(() => "elsewhere");
    onTestFinished(() => other.stop());
    const location = `${other.url}/v3/${KEY}`;
    const redirecting = await startDouble(() => ({ status, body: "", headers: { location } }));
    onTestFinished(() => redirecting.stop());
    const { message } = await failure(ask(client({}, `${redirecting.url}/${KEY}`), 1));
    expect(message).toBe(
      `ask: ${redirecting.url} answered with a redirect to ${other.url} (HTTP status ${status}), which is not followed; if that address is right, use it instead`,
    );
    expect(other.exchanges).toEqual([]);
  });

  it("does not show an invalid address, which may contain secrets", () => {
    for (const address of [`not an address ${KEY}`, `ftp://${KEY}@example.org`, ""]) {
      expect(() => client({}, address)).toThrow(ChainError);
      expect(() => client({}, address)).not.toThrow(KEY);
    }
  });
});
