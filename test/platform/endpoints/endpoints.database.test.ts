import type { FastifyInstance, InjectOptions } from "fastify";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import type { QueryEndpointOptions } from "../../../src/platform/endpoints/options.js";
import { createApp } from "../../../src/platform/http/app.js";
import { addApiKey, revokeApiKey } from "../../../src/platform/people/api-keys.js";
import { changeVersion, setTag } from "../../../src/platform/subgraphs/versions.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { describeDatabases } from "../../support/database/databases.js";
import { createQueryHosting, type QueryHosting, queryPlatform } from "../../support/server/query-hosting.js";
import { addEntry, setHead } from "./add-entry.js";

const hash = (number: number): string => `0x${String(number).padStart(64, "0")}`;
const query = '{"query":"{ pools { id } }"}';

describeDatabases("Query endpoints", (databases) => {
  let database: Database;
  let hosting: QueryHosting;
  let app: FastifyInstance;
  let head: number;
  const clock = { now: 0 };

  beforeAll(async () => {
    database = await databases.fresh();
    await migrate(database);
  });

  beforeEach(async () => {
    await database.run(SQL`delete from graphloom.tags; delete from graphloom.projects;
      delete from graphloom.builds; delete from graphloom.deployments`);
    hosting = createQueryHosting();
    await addEntry(database, { name: "pools", version: "1.0.0", deployment: "QmA" });
    await moveTo(20);
    hosting.answering.set("QmA", {
      execute: async () => ({
        data: { answers: hosting.asked.length },
        attestable: true,
        head: { number: head, hash: hash(head) },
      }),
    });
    await serve();
  });

  afterEach(() => app.close());

  const serve = async (options: Partial<QueryEndpointOptions> = {}): Promise<void> => {
    app = await createApp(
      queryPlatform(database, hosting, () => clock.now),
      [endpoints(options)],
    );
  };

  const moveTo = async (number: number): Promise<void> => {
    head = number;
    await setHead(database, "QmA", number, hash(number));
  };

  const post = (url: string, more: Omit<InjectOptions, "url" | "method"> = {}) =>
    app.inject({
      method: "POST",
      url,
      payload: query,
      ...more,
      headers: { "content-type": "application/json", ...more.headers },
    });

  const at = (version: string, access = "public", project = "project_1"): string =>
    `/api/${access}/${project}/subgraphs/pools/${version}/gn`;

  const refused = (type: string, status: number) => ({
    status,
    type: `http://127.0.0.1:8030/api/errors/${type}`,
  });

  describe("that are public", () => {
    test("answer anyone, by version and by tag", async () => {
      await addEntry(database, { name: "pools", version: "1.0.0+a", deployment: "QmA" });
      await setTag(database, { project: "project_1", name: "pools", version: "prod" }, "1.0.0");
      for (const version of ["1.0.0", "prod", "1.0.0+a", "1.0.0%2Ba"]) {
        const response = await post(at(version));
        expect([response.statusCode, response.body], version).toEqual([200, '{"data":{"answers":1}}']);
        expect(response.headers).toMatchObject({
          "content-type": "application/json",
          "access-control-allow-origin": "*",
          "cache-status": expect.stringMatching(/^graphloom; (hit|fwd=miss)$/),
          "graph-attestable": "true",
          "graph-indexed": `{"hash":"${hash(20)}","number":20,"timestamp":null}`,
        });
      }
    });

    test("return 404 as soon as they are disabled", async () => {
      expect((await post(at("1.0.0"))).statusCode).toBe(200);
      await changeVersion(
        database,
        { project: "project_1", name: "pools", version: "1.0.0" },
        { hasPublicEndpoint: false },
      );
      const off = await post(at("1.0.0"));
      expect(off.json()).toMatchObject(refused("subgraph-not-found", 404));
      expect(off.headers).toMatchObject({
        "content-type": "application/problem+json; charset=utf-8",
        "access-control-allow-origin": "*",
      });
    });

    test.each([
      [404, "an unknown version", at("2.0.0")],
      [404, "an unknown project", at("1.0.0", "public", "project_2")],
      [400, "an invalid version", at("%00")],
      [400, "an invalid project", at("1.0.0", "public", "%00")],
      [400, "an invalid name", "/api/public/project_1/subgraphs/%00/1.0.0/gn"],
    ])("return %i for %s", async (status, _, url) => {
      const type = status === 404 ? "subgraph-not-found" : "bad-request";
      expect((await post(url)).json()).toMatchObject(refused(type, status));
    });

    test("report an invalid body as graph-node does", async () => {
      const { statusCode, body } = await post(at("1.0.0"), { payload: "[]" });
      expect([statusCode, body]).toEqual([
        400,
        '{"error":"GraphQL server error (client error): Request data is not an object"}',
      ]);
      const large = await post(at("1.0.0"), { payload: " ".repeat(1024 * 1024 + 1) });
      expect(large.json()).toMatchObject(refused("too-large", 413));
    });

    test("limit the request rate of each client", async () => {
      const ask = (remoteAddress: string) => post(at("1.0.0"), { remoteAddress });
      for (let count = 0; count < 50; count++) expect((await ask("10.0.0.1")).statusCode).toBe(200);
      const last = await ask("10.0.0.1");
      expect(last.json()).toMatchObject(refused("rate-limited", 429));
      expect(last.headers).toMatchObject({ "retry-after": "10", "access-control-allow-origin": "*" });
      expect((await post("/subgraphs/name/pools", { remoteAddress: "10.0.0.1" })).statusCode).toBe(429);
      expect((await ask("10.0.0.2")).statusCode).toBe(200);
      expect((await post(at("1.0.0", "private"), { remoteAddress: "10.0.0.1" })).statusCode).toBe(401);
      clock.now += 10_000;
      expect((await ask("10.0.0.1")).statusCode).toBe(200);
    });

    test("return 503 when their engine runs on a different server", async () => {
      await addEntry(database, { name: "pools", version: "3", deployment: "QmC", engine: "graph-node" });
      expect((await post(at("3"))).json()).toMatchObject(refused("unavailable", 503));
    });
  });

  describe("that are private", () => {
    const key = async (project: string, name = project): Promise<string> => {
      await addApiKey(database, { id: name, project, name, role: "Viewer", key: `secret-${name}` });
      return `Bearer secret-${name}`;
    };

    test("accept only API keys of their project", async () => {
      await addEntry(database, { name: "pools", version: "2", deployment: "QmA", isPrivate: true });
      await addEntry(database, { project: "project_2", name: "other", version: "1", deployment: "QmB" });
      const [own, foreign] = [await key("project_1"), await key("project_2")];
      const ask = (authorization: string | undefined, version = "2") =>
        post(at(version, "private"), { headers: authorization === undefined ? {} : { authorization } });
      expect((await ask(undefined)).json()).toMatchObject(refused("unauthorized", 401));
      expect((await ask("Bearer wrong")).json()).toMatchObject(refused("unauthorized", 401));
      expect((await ask(foreign)).json()).toMatchObject(refused("forbidden", 403));
      expect((await ask(own)).json()).toEqual({ data: { answers: 1 } });
      expect((await ask(own, "1.0.0")).json()).toMatchObject(refused("subgraph-not-found", 404));
      expect((await ask(foreign, "4")).json()).toMatchObject(refused("forbidden", 403));
      expect(hosting.asked).toHaveLength(1);
      await revokeApiKey(database, "project_1", "project_1");
      expect((await ask(own)).json()).toMatchObject(refused("unauthorized", 401));
    });
  });

  describe("at graph-node's addresses", () => {
    const missing = (name: string): string =>
      `{"errors":[{"message":"deployment \`${name}\` does not exist"}]}`;
    const deploymentAt = async (url: string): Promise<string | undefined> => {
      const before = hosting.asked.length;
      await post(url, { payload: JSON.stringify({ query: `{ a${before}${clock.now} }` }) });
      return hosting.asked.slice(before)[0]?.deployment;
    };

    test("find public versions and tags, and resolve a name without a version", async () => {
      for (const deployment of ["QmB", "QmC"]) {
        hosting.answering.set(deployment, { execute: async () => ({ data: {}, attestable: true }) });
      }
      await addEntry(database, { name: "pools", version: "2.0.0", deployment: "QmB" });
      await addEntry(database, { project: "project_2", name: "pools", version: "9", deployment: "QmC" });
      await setTag(database, { project: "project_1", name: "pools", version: "prod" }, "1.0.0");
      expect(await deploymentAt("/subgraphs/name/pools/1.0.0")).toBe("QmA");
      expect(await deploymentAt("/subgraphs/name/pools/prod")).toBe("QmA");
      expect(await deploymentAt("/subgraphs/name//pools//2.0.0/")).toBe("QmB");
      expect(await deploymentAt("/subgraphs/name/pools/9")).toBe("QmC");
      expect(await deploymentAt("/subgraphs/id/QmB")).toBe("QmB");
      expect(await deploymentAt("/subgraphs/name/pools")).toBe("QmB");
      await database.query(SQL`update graphloom.deployments set synced_at = now()`);
      expect(await deploymentAt("/subgraphs/name/pools")).toBe("QmA");
    });

    test("report a missing deployment when they are disabled", async () => {
      await changeVersion(
        database,
        { project: "project_1", name: "pools", version: "1.0.0" },
        { hasPublicEndpoint: false, hasPrivateEndpoint: true },
      );
      for (const [path, name] of [
        ["name/pools/1.0.0", "pools/1.0.0"],
        ["name/pools", "pools"],
        ["name/a/b/c", "a/b/c"],
        ["id/QmA", "QmA"],
      ] as const) {
        const response = await post(`/subgraphs/${path}`);
        expect([response.statusCode, response.body]).toEqual([200, missing(name)]);
        expect(response.headers).toMatchObject({ "graph-attestable": "false", "graph-indexed": "null" });
      }
      expect((await post("/subgraphs/id/QmA", { payload: "{}" })).statusCode).toBe(400);
      expect(hosting.asked).toEqual([]);
    });

    test.each([
      ["POST", "/subgraphs/id/QmA/graphql", 200, '{"message":"Not found"}'],
      ["GET", "/subgraphs/nothing", 200, '{"message":"Not found"}'],
      ["GET", "/subgraphs/id/QmA", 302, "Redirecting..."],
      [
        "GET",
        "/subgraphs/name/pools?query=mutation%20%7Ba%7D",
        400,
        '{"error":"Can\'t use mutations with GET method"}',
      ],
      ["OPTIONS", "/subgraphs/id/QmA", 200, ""],
    ] as const)("answer %s %s as graph-node does", async (method, url, status, text) => {
      const { statusCode, body } = await app.inject({ method, url });
      expect([statusCode, body]).toEqual([status, text]);
    });

    test("require a Content-Type header", async () => {
      const { statusCode, body } = await app.inject({
        method: "POST",
        url: "/subgraphs/id/QmA",
        payload: query,
      });
      expect([statusCode, body]).toEqual([400, '{"error":"Content-Type header is required"}']);
    });
  });

  test("endpoints accept requests from all origins", async () => {
    const ask = async (url: string) => (await app.inject({ method: "OPTIONS", url })).headers;
    const methods = "GET, OPTIONS, POST";
    expect(await ask("/subgraphs/name/pools")).toMatchObject({
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "Content-Type, User-Agent",
      "access-control-allow-methods": methods,
    });
    for (const access of ["public", "private"]) {
      expect(await ask(at("1.0.0", access))).toMatchObject({
        "access-control-allow-origin": "*",
        "access-control-allow-headers": expect.stringContaining("Authorization"),
        "access-control-allow-methods": methods,
      });
    }
  });

  describe("cache answers", () => {
    const answers = async (payload = query): Promise<number> =>
      (await post(at("1.0.0"), { payload })).json().data.answers;

    beforeEach(() => serve({ publicRate: null }));

    test("to a query until the deployment advances", async () => {
      expect([await answers(), await answers(), await answers('{"query":"{ other }"}')]).toEqual([1, 1, 2]);
      await moveTo(21);
      expect([await answers(), await answers()]).toEqual([3, 3]);
      await moveTo(20);
      expect(await answers()).toBe(4);
    });

    test("until the deployment's state changes, even when its head does not", async () => {
      expect([await answers(), await answers()]).toEqual([1, 1]);
      await database.query(SQL`update graphloom.deployments set earliest_block = 12`);
      expect([await answers(), await answers()]).toEqual([2, 2]);
    });

    test("run a query once for all simultaneous requests", async () => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      hosting.hold = () => held;
      const all = [answers(), answers(), answers(), answers('{"query":"{ other }"}')];
      while (hosting.asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
      release();
      expect((await Promise.all(all)).sort()).toEqual([2, 2, 2, 2]);
      expect(hosting.asked).toHaveLength(2);
    });

    test("do not keep an answer if the deployment advanced while the query ran", async () => {
      hosting.hold = () => moveTo(head + 1);
      expect(await answers()).toBe(1);
      hosting.hold = async () => undefined;
      // On PostgreSQL, the second query started early for the previous state and is discarded.
      const second = database.provider === "postgres" ? 3 : 2;
      expect([await answers(), await answers()]).toEqual([second, second]);
    });

    test("do not keep failures or answers that may differ the next time", async () => {
      const count = async (attestable: boolean): Promise<number> => {
        const before = hosting.asked.length;
        hosting.answering.set("QmA", {
          execute: async () => ({ errors: [{ message: "Query timed out" }], attestable }),
        });
        const payload = JSON.stringify({ query: `{ a${attestable} }` });
        for (let round = 0; round < 3; round++) await post(at("1.0.0"), { payload });
        return hosting.asked.length - before;
      };
      expect([await count(false), await count(true)]).toEqual([3, 1]);
      hosting.answering.delete("QmA");
      const failing = '{"query":"{ b }"}';
      const statuses = [1, 2].map(async () => (await post(at("1.0.0"), { payload: failing })).statusCode);
      expect(await Promise.all(statuses)).toEqual([500, 500]);
    });

    test("do not serve cached answers from an address that changed or was disabled", async () => {
      expect(await answers('{"query":"{ one }"}')).toBe(1);
      await database.query(SQL`update graphloom.versions set has_public_endpoint = false`);
      expect((await post(at("1.0.0"), { payload: '{"query":"{ two }"}' })).statusCode).toBe(404);
      await database.query(SQL`update graphloom.versions set has_public_endpoint = true`);
      // On PostgreSQL, the early start for the second query is discarded.
      expect(await answers('{"query":"{ three }"}')).toBe(database.provider === "postgres" ? 3 : 2);
    });

    test("do not cache before the first block is indexed", async () => {
      await database.query(SQL`update graphloom.deployments set head_number = null, head_hash = null`);
      expect([await answers(), await answers()]).toEqual([1, 2]);
    });
  });

  describe("limit each client's share of work", () => {
    let asked = 0;

    /** Sends a new query that costs the engine `takes` milliseconds. */
    const ask = (more: { url?: string; from?: string; key?: string; takes?: number } = {}) => {
      const { url = at("1.0.0"), from = "203.0.113.1", key, takes = 0 } = more;
      hosting.answering.set("QmA", {
        execute: async (_, spend) => {
          spend?.(takes);
          return { data: {}, attestable: true };
        },
      });
      asked += 1;
      return post(url, {
        payload: JSON.stringify({ query: `{ asked${asked} }` }),
        remoteAddress: from,
        ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
      });
    };

    beforeEach(() => serve({ publicRate: null, workShare: 0.5 }));

    test.each([
      at("1.0.0"),
      "/subgraphs/name/pools/1.0.0",
      "/subgraphs/id/QmA",
    ])("report when the client may retry: %s", async (url) => {
      expect((await ask({ url, takes: 8_000 })).statusCode).toBe(200);
      const refusal = await ask({ url });
      expect(refusal.statusCode).toBe(429);
      expect(refusal.headers).toMatchObject({
        "retry-after": "6",
        "content-type": "application/json",
        "access-control-allow-origin": "*",
      });
      expect(refusal.json()).toEqual({ errors: [{ message: expect.stringContaining("again in 6 s") }] });
      expect(hosting.asked).toHaveLength(1);
      clock.now += 6_001;
      expect((await ask({ url })).statusCode).toBe(200);
    });

    test("across all addresses, without affecting other clients", async () => {
      await addEntry(database, { project: "project_2", name: "pools", version: "1.0.0", deployment: "QmA" });
      await ask({ takes: 8_000 });
      const second = at("1.0.0", "public", "project_2");
      for (const url of [at("1.0.0"), second, "/subgraphs/id/QmA"]) {
        expect((await ask({ url })).statusCode, url).toBe(429);
        expect((await ask({ url, from: "203.0.113.2" })).statusCode, url).toBe(200);
      }
    });

    test("for each API key separately", async () => {
      for (const project of ["project_1", "project_2"]) {
        const closed = { project, version: "closed", deployment: "QmA", isPrivate: true };
        await addEntry(database, { name: "pools", ...closed });
      }
      const keys = { "work-1": "project_1", "work-2": "project_1", "work-3": "project_2" };
      for (const [key, project] of Object.entries(keys)) {
        await addApiKey(database, { id: key, project, name: key, role: "Viewer", key });
      }
      const url = at("closed", "private");
      expect((await ask({ url, key: "work-1", takes: 8_000 })).statusCode).toBe(200);
      expect((await ask({ url, key: "work-1" })).statusCode).toBe(429);
      expect((await ask({ url, key: "work-2" })).statusCode).toBe(200);
      expect((await ask({ url: at("closed", "private", "project_2"), key: "work-3" })).statusCode).toBe(200);
      // Requests without a key from the same IP address have a separate budget.
      expect((await ask()).statusCode).toBe(200);
    });

    test("still serve cached answers", async () => {
      expect((await post(at("1.0.0"))).headers["cache-status"]).toBe("graphloom; fwd=miss");
      await ask({ from: "127.0.0.1", takes: 8_000 });
      expect((await ask({ from: "127.0.0.1" })).statusCode).toBe(429);
      const kept = await post(at("1.0.0"));
      expect([kept.statusCode, kept.headers["cache-status"]]).toEqual([200, "graphloom; hit"]);
    });

    test("apply to simultaneous requests, too", async () => {
      await serve({ publicRate: null, workShare: 0.5, running: 1, runningOfClient: 10 });
      const answers = await Promise.all([1, 2, 3].map(() => ask({ takes: 8_000 })));
      expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 429, 429]);
    });

    test("unless the limit is disabled", async () => {
      await serve({ publicRate: null, workShare: null });
      await ask({ takes: 1e9 });
      expect((await ask()).statusCode).toBe(200);
    });
  });

  test("endpoints keep one busy subgraph from blocking the others", async () => {
    await serve({ publicRate: null, running: 1, waiting: 1 });
    await addEntry(database, { name: "pools", version: "2", deployment: "QmB" });
    hosting.answering.set("QmB", { execute: async () => ({ data: {}, attestable: true }) });
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    hosting.hold = () => held;
    const ask = (version: string, name: string) => post(at(version), { payload: `{"query":"{ ${name} }"}` });
    const first = ask("1.0.0", "a");
    while (hosting.asked.length < 1) await new Promise((resolve) => setImmediate(resolve));
    const more = ["b", "c"].map((name) => ask("1.0.0", name));
    const refusal = await Promise.race(more);
    expect(refusal.json()).toMatchObject(refused("unavailable", 503));
    expect(refusal.headers["retry-after"]).toBe("1");
    hosting.hold = async () => undefined;
    expect((await ask("2", "a")).statusCode).toBe(200);
    release();
    expect([await first, ...(await Promise.all(more))].map(({ statusCode }) => statusCode).sort()).toEqual([
      200, 200, 503,
    ]);
  });
});
