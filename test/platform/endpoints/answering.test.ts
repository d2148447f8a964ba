import { describe, expect, test } from "vitest";
import { AnswerCache } from "../../../src/platform/endpoints/answer-cache.js";
import { Answerer, askedQuery, questionOf } from "../../../src/platform/endpoints/answerer.js";
import { encoded } from "../../../src/platform/endpoints/encoded.js";
import { Gate } from "../../../src/platform/endpoints/gate.js";
import {
  isDeploymentId,
  isSubgraphName,
  joinedPath,
  splitName,
} from "../../../src/platform/endpoints/names.js";
import { defaultOptions } from "../../../src/platform/endpoints/options.js";
import { SharedRead } from "../../../src/platform/endpoints/shared-read.js";
import { WorkBudget } from "../../../src/platform/endpoints/work-budget.js";
import { clientOf, RateLimiter } from "../../../src/platform/rate-limiter.js";
import { createQueryHosting } from "../../support/query-hosting.js";

/** A promise, and what ends it. */
function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

const answer = (body: string) => encoded({ status: 200, body, headers: {} });

describe("answers that are kept", () => {
  test("are those of the state that the deployment is in", () => {
    const cache = new AnswerCache(100_000);
    expect(cache.get("QmA", "1", "q")).toBeUndefined();
    cache.put("QmA", "1", "q", answer("one"));
    expect(cache.get("QmA", "1", "q")?.bytes.toString()).toBe("one");
    expect(cache.get("QmB", "1", "q")).toBeUndefined();
    expect(cache.get("QmA", "2", "q")).toBeUndefined();
    expect(cache.bytes).toBe(0);
    cache.put("QmA", "1", "q", answer("late"));
    expect(cache.get("QmA", "2", "q")).toBeUndefined();
    expect(cache.get("QmA", "1", "q")).toBeUndefined();
  });

  test("take so many bytes and no more; those that nobody asked for go first", () => {
    const cache = new AnswerCache(10_000);
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "h", "i"]) {
      cache.get("QmA", "1", name);
      cache.put("QmA", "1", name, answer("x".repeat(760)));
      expect(cache.get("QmA", "1", "a")).toBeDefined();
    }
    expect(cache.bytes).toBeLessThanOrEqual(10_000);
    expect(cache.get("QmA", "1", "b")).toBeUndefined();
    expect(cache.get("QmA", "1", "i")).toBeDefined();
    cache.put("QmA", "1", "large", answer("x".repeat(2_000)));
    expect(cache.get("QmA", "1", "large")).toBeUndefined();
  });
});

test("answers are kept of so many deployments and no more; those that nobody asked go first", () => {
  const cache = new AnswerCache(1_000_000, 3);
  for (const deployment of ["QmA", "QmB", "QmC", "QmD", "QmE"]) {
    cache.get(deployment, "1", "q");
    cache.put(deployment, "1", "q", answer(deployment));
    expect(cache.get("QmA", "1", "q")).toBeDefined();
  }
  expect(cache.deployments).toBe(3);
  expect(["QmB", "QmC", "QmD", "QmE"].map((one) => cache.has(one, "q"))).toEqual([false, false, true, true]);
  expect(cache.bytes).toBeLessThan(3 * 500);
});

describe("work of one kind", () => {
  test("runs so much at once, then waits, then is refused; other kinds do not notice", async () => {
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

test("a client that shares a query with one that may ask no more is answered", async () => {
  const hosting = createQueryHosting();
  const held = promised<void>();
  hosting.hold = () => held.promise;
  hosting.answering.set("QmA", {
    execute: async (_, spend) => {
      spend?.(10_000);
      return { data: {}, attestable: true };
    },
  });
  const answerer = new Answerer({ hosting }, { ...defaultOptions, running: 1 });
  const budget = new WorkBudget(0.5, () => 0);
  const indexed = { stamp: "1", headHash: "0x01" };
  const endpoint = {
    ...{ deployment: "QmA", engine: "embedded", indexed },
    ...{ hasPublicEndpoint: true, hasPrivateEndpoint: true },
  };
  const ask = (client: string, query: string) =>
    answerer.answer(endpoint, askedQuery(JSON.stringify({ query }), budget.of(client)));
  // The first runs, and the next waits for it with what the other asks, too.
  const all = [ask("a", "{ slow }"), ask("a", "{ same }"), ask("b", "{ same }")];
  held.resolve();
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 429, 200]);
});

describe("a read that is shared", () => {
  test("is never one that began before it was asked for", async () => {
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

describe("requests of a client", () => {
  test("are counted from its first one on", () => {
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
  ])("come from whoever has the address: %s", (address, client) => {
    expect(clientOf(address)).toBe(client);
  });
});

describe("names", () => {
  test.each([
    "pools",
    "org/cases",
    "pools/1.0.0",
    "pools/1.0.0-rc.1+7",
    "a/b/c",
    "uniswap_v3/prod",
  ])("may be %s", (name) => expect(isSubgraphName(name)).toBe(true));

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
  ])("may not be %s", (name) => expect(isSubgraphName(name)).toBe(false));

  test("of deployments have up to 46 letters and digits", () => {
    expect(["QmA", "x".repeat(46), "a_b"].every(isDeploymentId)).toBe(true);
    expect(["", "bad-id", "x".repeat(47), "subgraphs", "a.b"].some(isDeploymentId)).toBe(false);
  });

  test("are taken out of paths", () => {
    expect(joinedPath("//a///b/")).toBe("a/b");
    expect(splitName("a/1.0.0")).toEqual({ name: "a", version: "1.0.0" });
    expect(splitName("a")).toEqual({ name: "a" });
    expect(splitName("a/b/c")).toBeUndefined();
  });
});

test("what a body asks is the same, however it is written", () => {
  const one = questionOf('{"query":"{ a }","variables":null}');
  expect(one).toBeDefined();
  expect(questionOf('{ "operationName": "x", "query": "{ a }" }')).toBe(one);
  expect(questionOf('{"query":"{ a }","variables":{"b":1}}')).not.toBe(one);
  const several = ["A", "B", undefined].map((operationName) =>
    questionOf(JSON.stringify({ query: "query A { a }query B { b }", operationName })),
  );
  expect(new Set(several).size).toBe(3);
  for (const body of ["", "[]", "{", '{"query":1}', '{"query":"{ a }","variables":[1]}']) {
    expect(questionOf(body)).toBeUndefined();
  }
});
