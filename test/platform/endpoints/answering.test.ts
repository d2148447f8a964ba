import { describe, expect, test } from "vitest";
import type { Meters } from "../../../src/base/meters.js";
import {
  isDeploymentId,
  isSubgraphName,
  joinedPath,
  splitName,
} from "../../../src/platform/endpoints/names.js";
import { defaultOptions } from "../../../src/platform/endpoints/options.js";
import { askedQuery, QueryDesk } from "../../../src/platform/endpoints/query-desk.js";
import { cacheStatus } from "../../../src/platform/endpoints/send-answer.js";
import { SharedRead } from "../../../src/platform/endpoints/shared-read.js";
import { unboundPayer, WorkBudget } from "../../../src/platform/endpoints/work-budget.js";
import { Gate } from "../../../src/platform/gate.js";
import { clientOf, RateLimiter } from "../../../src/platform/rate-limiter.js";
import type { Endpoint } from "../../../src/platform/subgraphs/endpoints.js";
import type { QueryAnswer } from "../../../src/query/engine.js";
import { HttpError } from "../../../src/web/http/http-error.js";
import { createQueryHosting } from "../../support/server/query-hosting.js";

/** A promise, and the functions that settle it. */
function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const world = { now: () => 1_000, timeout: AbortSignal.timeout };
const deskOptions = { ...defaultOptions, startsEarly: false };

const endpointOf = (deployment: string, stamp: string, project = "project_1"): Endpoint => ({
  project,
  deployment,
  engine: "embedded",
  indexed: { stamp, headHash: "0x01" },
  hasPublicEndpoint: true,
  hasPrivateEndpoint: true,
});

describe("cached answers", () => {
  const hosting = createQueryHosting();
  let executed = 0;
  let data: Record<string, unknown> = {};
  const headHash = "0x01";
  const engine = {
    execute: async () => {
      executed += 1;
      return { data, attestable: true, head: { number: 1, hash: headHash } };
    },
  };
  for (const deployment of ["QmA", "QmB"]) hosting.answering.set(deployment, engine);
  const asking =
    (desk: QueryDesk) =>
    async (deployment: string, stamp: string, query: string): Promise<boolean> => {
      const before = executed;
      const asked = askedQuery(JSON.stringify({ query }), unboundPayer);
      await desk.answer(asked, deployment, async () => endpointOf(deployment, stamp));
      return executed === before;
    };

  test("are valid only for the deployment's current state", async () => {
    const isKept = asking(new QueryDesk({ hosting, world }, deskOptions));
    expect([await isKept("QmA", "1", "q"), await isKept("QmA", "1", "q")]).toEqual([false, true]);
    expect([await isKept("QmB", "1", "q"), await isKept("QmA", "1", "r")]).toEqual([false, false]);
    expect([await isKept("QmA", "2", "q"), await isKept("QmA", "2", "q")]).toEqual([false, true]);
  });

  test("stay within the size limit, and the least recently used are dropped first", async () => {
    const desk = new QueryDesk({ hosting, world }, { ...deskOptions, keptBytes: 10_000 });
    const isKept = asking(desk);
    data = { text: "x".repeat(700) };
    await isKept("QmA", "1", "a");
    for (const name of ["b", "c", "d", "e", "f", "g", "h", "i"]) {
      expect(await isKept("QmA", "1", name)).toBe(false);
      expect(await isKept("QmA", "1", "a")).toBe(true);
    }
    expect(desk.keptBytes).toBeGreaterThan(5_000);
    expect(desk.keptBytes).toBeLessThanOrEqual(10_000);
    expect([await isKept("QmA", "1", "i"), await isKept("QmA", "1", "b")]).toEqual([true, false]);
    data = { text: "x".repeat(2_000) };
    expect([await isKept("QmA", "1", "large"), await isKept("QmA", "1", "large")]).toEqual([false, false]);
    data = {};
  });

  test("are not stored when the cache size is 0", async () => {
    const isKept = asking(new QueryDesk({ hosting, world }, { ...deskOptions, keptBytes: 0 }));
    expect([await isKept("QmA", "1", "q"), await isKept("QmA", "1", "q")]).toEqual([false, false]);
  });
});

test("simultaneous requests for the same query share one answer", async () => {
  const hosting = createQueryHosting();
  hosting.answering.set("QmA", { execute: async () => ({ data: {}, attestable: true }) });
  const desk = new QueryDesk({ hosting, world }, deskOptions);
  const found = Promise.resolve(endpointOf("QmA", "1"));
  const ask = () => desk.answer(askedQuery('{"query":"{ a }"}', unboundPayer), "one", () => found);
  const answers = await Promise.all([ask(), ask(), ask()]);
  expect(hosting.asked).toHaveLength(1);
  expect(answers.map((answer) => answer && cacheStatus(answer))).toEqual([
    "graphloom; fwd=miss",
    "graphloom; fwd=miss; collapsed",
    "graphloom; fwd=miss; collapsed",
  ]);
});

test("every query is counted once, by the source of its answer and its duration", async () => {
  const hosting = createQueryHosting();
  let now = 0;
  const counted: (readonly [from: string, seconds: number])[] = [];
  const nothing = (): void => undefined;
  const meters: Meters = {
    answered: nothing,
    askedNode: nothing,
    called: nothing,
    delivered: nothing,
    madeFile: nothing,
    queried: (_, from, seconds) => counted.push([from, seconds]),
  };
  const desk = new QueryDesk({ hosting, meters, world: { ...world, now: () => now } }, deskOptions);
  const ask = (query: string) =>
    desk.answer(askedQuery(JSON.stringify({ query }), unboundPayer), "one", async () =>
      endpointOf("QmA", "1"),
    );
  hosting.answering.set("QmA", {
    execute: async () => {
      now += 250;
      return { data: {}, attestable: true, head: { number: 1, hash: "0x01" } };
    },
  });
  await ask("{ a }");
  await ask("{ a }");
  hosting.hold = async () => {
    now += 40;
    throw new HttpError("timeout", { message: "it does not answer", reason: "did not answer" }, false);
  };
  await expect(ask("{ b }")).rejects.toThrow("did not answer");
  expect(counted).toEqual([
    ["engine", 0.25],
    ["memory", 0],
    ["failed", 0.04],
  ]);
});

describe("an early start", () => {
  const serve = () => {
    const hosting = createQueryHosting();
    const head = { number: 1, hash: "0x01" };
    hosting.answering.set("QmA", { execute: async () => ({ data: {}, attestable: true, head }) });
    const counted: string[] = [];
    const nothing = (): void => undefined;
    const meters: Meters = {
      answered: nothing,
      askedNode: nothing,
      called: nothing,
      delivered: nothing,
      madeFile: nothing,
      queried: (_, from) => counted.push(from),
    };
    const desk = new QueryDesk({ hosting, meters, world }, { ...deskOptions, startsEarly: true });
    const ask = (query: string, find: () => Promise<Endpoint | undefined>) =>
      desk.answer(askedQuery(JSON.stringify({ query }), unboundPayer), "one", find);
    return { hosting, counted, ask };
  };

  test("queries the engine once, before the address is resolved", async () => {
    const { hosting, counted, ask } = serve();
    await ask("{ a }", async () => endpointOf("QmA", "1"));
    const found = promised<Endpoint>();
    const all = [ask("{ b }", () => found.promise), ask("{ b }", () => found.promise)];
    expect(hosting.asked).toHaveLength(2);
    found.resolve(endpointOf("QmA", "1"));
    expect((await Promise.all(all)).map((one) => one?.status)).toEqual([200, 200]);
    expect(hosting.asked).toHaveLength(2);
    expect(counted.slice(0, 2)).toEqual(["engine", "engine"]);
    expect(counted).toHaveLength(3);
  });

  test("is discarded when the state has changed, and does not start for an address that does not resolve", async () => {
    const { hosting, ask } = serve();
    await ask("{ a }", async () => endpointOf("QmA", "1"));
    await ask("{ b }", async () => endpointOf("QmA", "2"));
    expect(hosting.asked).toHaveLength(3);
    expect(await ask("{ c }", async () => undefined)).toBeUndefined();
    expect(hosting.asked).toHaveLength(4);
    expect(await ask("{ d }", async () => undefined)).toBeUndefined();
    expect(hosting.asked).toHaveLength(4);
  });
});

describe("a gate", () => {
  test("runs up to its limit, then queues, then rejects, and does so for each key separately", async () => {
    const gate = new Gate({ running: 2, waiting: 1 });
    const all = [0, 1, 2].map(() => promised<string>());
    const begun: number[] = [];
    const runs = all.map(({ promise }, index) =>
      gate.run("a", () => {
        begun.push(index);
        return promise;
      }),
    );
    await expect(gate.run("a", async () => "never")).rejects.toMatchObject({
      type: "unavailable",
      retryAfter: 1,
    });
    expect(await gate.run("b", async () => "other")).toBe("other");
    expect(begun).toEqual([0, 1]);
    all[1]?.reject(new Error("failed"));
    await expect(runs[1]).rejects.toThrow("failed");
    expect(begun).toEqual([0, 1, 2]);
    all[0]?.resolve("first");
    all[2]?.resolve("third");
    expect([await runs[0], await runs[2]]).toEqual(["first", "third"]);
    expect(await gate.run("a", async () => "again")).toBe("again");
  });
});

test("a client is answered when it shares a query with a client that used up its budget", async () => {
  const hosting = createQueryHosting();
  const held = promised<void>();
  hosting.hold = () => held.promise;
  hosting.answering.set("QmA", {
    execute: async (_, spend) => {
      spend?.(10_000);
      return { data: {}, attestable: true };
    },
  });
  const desk = new QueryDesk({ hosting, world }, { ...deskOptions, running: 1 });
  const budget = new WorkBudget(0.5, () => 0);
  const ask = (client: string, query: string) =>
    desk.answer(askedQuery(JSON.stringify({ query }), budget.of(client)), "one", async () =>
      endpointOf("QmA", "1"),
    );
  // The first query runs. The second, which both clients send, waits for it.
  const all = [ask("a", "{ slow }"), ask("a", "{ same }"), ask("b", "{ same }")];
  held.resolve();
  expect((await Promise.all(all)).map((one) => one?.status)).toEqual([200, 429, 200]);
});

describe("a query that clients share", () => {
  const start = () => {
    const hosting = createQueryHosting();
    const asked: { gone: AbortSignal | undefined; answer: ReturnType<typeof promised<QueryAnswer>> }[] = [];
    hosting.answering.set("QmA", {
      execute: (_query, _spend, gone) => {
        const answer = promised<QueryAnswer>();
        asked.push({ gone, answer });
        gone?.addEventListener("abort", () => answer.reject(gone.reason));
        return answer.promise;
      },
    });
    const desk = new QueryDesk({ hosting, world }, { ...deskOptions, ofProject: 1 });
    const ask = (gone?: AbortSignal) =>
      desk.answer(askedQuery('{"query":"{ a }"}', unboundPayer, gone), "one", async () =>
        endpointOf("QmA", "1"),
      );
    return { asked, ask };
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  test("continues while one of its clients is connected, and ends when the last one leaves", async () => {
    const { asked, ask } = start();
    const [first, second] = [new AbortController(), new AbortController()];
    const all = [ask(first.signal), ask(second.signal)];
    await settled();
    first.abort(new Error("gone"));
    await settled();
    expect(asked.map(({ gone }) => gone?.aborted)).toEqual([false]);
    second.abort(new Error("gone"));
    expect((await Promise.all(all)).map((one) => one?.status)).toEqual([499, 499]);
    expect(asked.map(({ gone }) => gone?.aborted)).toEqual([true]);
  });

  test("is answered to a client that stays although the one that began it has left", async () => {
    const { asked, ask } = start();
    const gone = new AbortController();
    const all = [ask(gone.signal), ask(), ask()];
    await settled();
    gone.abort(new Error("gone"));
    await settled();
    asked[0]?.answer.resolve({ data: {}, attestable: true });
    expect((await Promise.all(all)).map((one) => one?.status)).toEqual([200, 200, 200]);
    expect(asked).toHaveLength(1);
  });

  test("is started again once for all clients that ask at the moment the last client leaves", async () => {
    const { asked, ask } = start();
    const gone = new AbortController();
    const left = ask(gone.signal);
    await settled();
    gone.abort(new Error("gone"));
    const late = [ask(), ask()];
    expect((await left)?.status).toBe(499);
    await settled();
    asked[1]?.answer.resolve({ data: {}, attestable: true });
    expect((await Promise.all(late)).map((one) => one?.status)).toEqual([200, 200]);
    expect(asked).toHaveLength(2);
  });
});

describe("queries of one project", () => {
  const hosting = createQueryHosting();
  const held = promised<void>();
  const begun: string[] = [];
  hosting.hold = async () => {
    begun.push(hosting.asked.at(-1)?.deployment ?? "");
    await held.promise;
  };
  const engine = { execute: async () => ({ data: {}, attestable: true }) };
  for (const one of ["QmA", "QmB", "QmC", "QmD"]) hosting.answering.set(one, engine);
  const turns = { ofAll: 4, ofProject: 3, heldOfProject: 12, running: 2 };
  const desk = new QueryDesk({ hosting, world }, { ...deskOptions, ...turns });
  let asked = 0;
  const ask = (deployment: string, project: string, gone?: AbortSignal) =>
    desk.answer(
      askedQuery(JSON.stringify({ query: `{ asked${asked++} }` }), unboundPayer, gone),
      `${deployment} ${project}`,
      async () => endpointOf(deployment, "1", project),
    );

  test("leave places to other projects, take turns with theirs, and are refused beyond the queue's limit", async () => {
    const busy = ["QmA", "QmA", "QmA", "QmB", "QmB", "QmB", "QmC", "QmC", "QmC", "QmC", "QmC"];
    const many = busy.map((deployment) => ask(deployment, "project_busy"));
    const gone = new AbortController();
    const abandoned = ask("QmC", "project_busy", gone.signal);
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(["QmA", "QmA", "QmB"]);
    await expect(ask("QmC", "project_busy")).rejects.toMatchObject({
      name: "TooMuchWaitingError",
      message: "This project has 12 queries waiting already. Wait for their answers, then try again.",
    });
    const others = [ask("QmD", "project_other"), ask("QmA", "project_other")];
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toEqual(["QmA", "QmA", "QmB", "QmD"]);
    gone.abort(new Error("gone"));
    held.resolve();
    expect((await Promise.all([...many, ...others])).map((one) => one?.status)).toEqual(Array(13).fill(200));
    // The other project had its second turn before the rest of the busy one's.
    expect(begun.indexOf("QmA", 3)).toBeLessThan(7);
    expect((await abandoned)?.status).toBe(499);
    expect(hosting.asked).toHaveLength(13);
  });
});

describe("a shared read", () => {
  test("never starts before the request it answers", async () => {
    const reads = new SharedRead<number>();
    const begun: { resolve: (value: number) => void; reject: (error: Error) => void }[] = [];
    const read = (key = "a"): Promise<number> =>
      reads.read(key, () => {
        const one = promised<number>();
        begun.push(one);
        return one.promise;
      });
    const first = read();
    const [second, third] = [read(), read()];
    expect(begun).toHaveLength(1);
    begun[0]?.reject(new Error("failed"));
    await expect(first).rejects.toThrow("failed");
    expect(begun).toHaveLength(2);
    const fourth = read();
    begun[1]?.resolve(2);
    expect([await second, await third]).toEqual([2, 2]);
    expect(begun).toHaveLength(3);
    begun[2]?.resolve(3);
    expect(await fourth).toBe(3);
    const fifth = read();
    expect(begun).toHaveLength(4);
    begun[3]?.resolve(4);
    expect(await fifth).toBe(4);
  });
});

describe("the rate limiter", () => {
  test("counts the requests of a client from its first request on", () => {
    const clock = { now: 1_000 };
    const limiter = new RateLimiter({ requests: 2, seconds: 10 }, () => clock.now);
    limiter.count("1.1.1.1");
    clock.now += 4_500;
    limiter.count("1.1.1.1");
    limiter.count("2.2.2.2");
    expect(() => limiter.count("::ffff:1.1.1.1")).toThrow(
      expect.objectContaining({ type: "rate-limited", retryAfter: 6 }),
    );
    clock.now += 5_500;
    limiter.count("1.1.1.1");
  });

  test.each([
    ["10.0.0.1", "10.0.0.1"],
    ["::FFFF:10.0.0.1", "10.0.0.1"],
    ["2001:db8:0:1::5", "2001:db8:0:1"],
    ["2001:0DB8:0000:0001:aaaa:bbbb:cccc:dddd", "2001:db8:0:1"],
    ["::1", "0:0:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
  ])("maps the address %s to the client %s", (address, client) => {
    expect(clientOf(address)).toBe(client);
  });
});

describe("subgraph names", () => {
  test.each([
    "pools",
    "org/cases",
    "pools/1.0.0",
    "pools/1.0.0-rc.1+7",
    "a/b/c",
    "uniswap_v3/prod",
  ])("accept %s", (name) => expect(isSubgraphName(name)).toBe(true));

  test.each([
    "",
    "org/graphql",
    "graphql",
    "a b",
    "a//b",
    "/a",
    "1.0.0",
    "a/../b",
    "é",
    "a".repeat(256),
  ])("reject %s", (name) => expect(isSubgraphName(name)).toBe(false));

  test("differ from deployment IDs, which have up to 46 letters and digits", () => {
    expect(["QmA", "x".repeat(46), "a_b"].every(isDeploymentId)).toBe(true);
    expect(["", "bad-id", "x".repeat(47), "subgraphs", "a.b"].some(isDeploymentId)).toBe(false);
  });

  test("are read from paths", () => {
    expect(joinedPath("//a///b/")).toBe("a/b");
    expect(splitName("a/1.0.0")).toEqual({ name: "a", version: "1.0.0" });
    expect(splitName("a")).toEqual({ name: "a" });
    expect(splitName("a/b/c")).toBeUndefined();
  });
});

test("a client that has used too much work gets its refusal after a moment, or at once if too many wait", async () => {
  const waits: AbortController[] = [];
  const held = {
    now: () => 1_000,
    timeout: () => {
      const timer = new AbortController();
      waits.push(timer);
      return timer.signal;
    },
  };
  const desk = new QueryDesk({ hosting: createQueryHosting(), world: held }, deskOptions);
  const payer = { wait: () => 5_000, spend: () => undefined };
  const ask = () =>
    desk.answer(askedQuery('{"query":"q"}', payer), "QmA", async () => {
      const { indexed: _, ...endpoint } = endpointOf("QmA", "1");
      return endpoint;
    });
  const answers = Array.from({ length: 500 }, ask);
  await new Promise((resolve) => setImmediate(resolve));
  expect(waits.length).toBe(500);
  expect((await ask())?.status).toBe(429);
  for (const timer of waits) timer.abort();
  for (const answer of answers) expect((await answer)?.status).toBe(429);
});
