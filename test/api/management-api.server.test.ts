import { beforeEach, describe, expect, it } from "vitest";
import type { Pipeline, Subgraph } from "../../src/api/contract.js";
import { createManagementApi } from "../../src/api/management-api.js";
import { freshStatus } from "../support/server/hosting-double.js";
import { sampleBundle } from "../support/server/management-sample.js";
import { type Pair, problemOf, usePairs } from "./harness.js";

const startPair = usePairs();
let pair: Pair;
beforeEach(async () => {
  pair = await startPair();
});

const deploy = (name = "pools", version = "1.0.0"): Promise<Subgraph> =>
  pair.api.deploy(name, version, { bundle: sampleBundle() });
const pipeline = (name: string): Pipeline => ({
  name,
  type: "streaming",
  status: "RUNNING",
  definition: { sources: {}, transforms: {}, sinks: {} },
  created_at: "2026-01-02T03:04:05.000Z",
  updated_at: "2026-01-02T03:04:05.000Z",
});
const requests = (): string[] =>
  pair.server.received.map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
const labels = (subgraphs: readonly Subgraph[]): string[] =>
  subgraphs.map(({ name, version, tag }) => `${name}/${version}${tag ? `->${tag.target_version}` : ""}`);

describe("a deployment", () => {
  it("sends its options, with the bundle last, and returns the subgraph", async () => {
    const bundle = sampleBundle({ network: "base" });
    const told: [number, number][] = [];
    await pair.api.deploy("pools", "0.9.0", { bundle });
    await pair.server.status("pools", "0.9.0", { ...freshStatus, headBlock: 700 });
    const subgraph = await pair.api.deploy("pools", "1.0.0-rc+a", {
      bundle,
      startBlock: 12_345_678,
      graftFrom: "pools/0.9.0",
      removeGraft: true,
      skipGraftValidation: true,
      description: "pools — of “all” kinds",
      onProgress: (...progress) => told.push(progress),
    });
    expect(subgraph).toMatchObject({
      name: "pools",
      version: "1.0.0-rc+a",
      status: "ACTIVE",
      network: "base",
      description: "pools — of “all” kinds",
      deployments: [{ deployment_id: (await pair.server.version("pools", "1.0.0-rc+a")).deployment }],
    });
    const { method, path, headers, fields, files, parts } = pair.server.received.at(-1) ?? {};
    expect([method, path]).toEqual(["PUT", "/api/v1/subgraphs/pools/deployments/1.0.0-rc%2Ba"]);
    expect([headers?.authorization, headers?.["content-length"]]).toEqual([
      `Bearer ${pair.server.token}`,
      undefined,
    ]);
    expect(headers?.accept).toBe("application/json, application/problem+json");
    expect(fields).toEqual({
      remove_graft: "1",
      skip_graft_validation: "1",
      start_block: "12345678",
      graft_from: "pools/0.9.0",
      description: "pools — of “all” kinds",
    });
    expect(parts?.at(-1)).toBe("bundle");
    expect(files?.bundle).toEqual({ filename: "bundle.zip", contentType: "application/zip", bytes: bundle });
    expect(told.at(-1)?.[0]).toBe(told.at(-1)?.[1]);
  });

  it("sends no option that was not given", async () => {
    await pair.api.deploy("pools", "1.0.0", {
      bundle: sampleBundle(),
      removeGraft: false,
      description: undefined,
    });
    expect(pair.server.received.at(-1)?.parts).toEqual(["bundle"]);
  });

  it("may be returned in an envelope", async () => {
    const bare = await deploy();
    pair.server.fail({ kind: "text", text: JSON.stringify({ data: bare }) });
    expect(await deploy("pools", "2.0.0")).toEqual(bare);
  });

  it("is rejected when the version exists with a different build, or the bundle is invalid", async () => {
    await deploy();
    const other = pair.api.deploy("pools", "1.0.0", { bundle: sampleBundle({ startBlock: 7 }) });
    expect(await problemOf(other)).toMatchObject({ status: 409, attempts: 1 });
    const bad = pair.api.deploy("pools", "2.0.0", { bundle: new Uint8Array([1, 2, 3]) });
    expect(await problemOf(bad)).toMatchObject({
      status: 400,
      errors: [{ field: "bundle", message: "It is not a zip" }],
    });
  });

  it("is deleted when nothing refers to it", async () => {
    await deploy();
    await pair.api.setTag("pools", "prod", "1.0.0");
    expect(await problemOf(pair.api.deleteDeployment("pools", "1.0.0"))).toMatchObject({ status: 422 });
    await pair.api.deleteTag("pools", "prod");
    await pair.api.deleteDeployment("pools", "1.0.0");
    expect(await pair.api.getSubgraphVersion("pools", "1.0.0")).toBeUndefined();
  });
});

describe("lists", () => {
  it("are read to the end, for pages of any size", async () => {
    pair.server.rule(() => ({ kind: "query", query: { page_size: "2" } }));
    for (const version of ["1.0.0", "1.1.0", "2.0.0"]) await deploy("pools", version);
    await deploy("nouns", "1.0.0");
    await pair.api.setTag("pools", "prod", "2.0.0");
    const before = pair.server.received.length;
    expect(labels(await pair.api.listSubgraphs())).toEqual([
      "nouns/1.0.0",
      "pools/1.0.0",
      "pools/1.1.0",
      "pools/2.0.0",
      "pools/prod->2.0.0",
    ]);
    const queries = pair.server.received.slice(before).map(({ query }) => Object.keys(query));
    expect(queries).toEqual([[], ["page_token"], ["page_token"]]);
  });

  it("also end at an empty token", async () => {
    const page = { data: [], pagination: { next_page_token: "", page_size: 50 } };
    pair.server.fail({ kind: "text", text: JSON.stringify(page) });
    expect(await pair.api.listSubgraphs()).toEqual([]);
    expect(requests()).toEqual(["GET /subgraphs"]);
  });

  it("are abandoned when they repeat a page token", async () => {
    const page = { data: [], pagination: { next_page_token: "a", page_size: 50 } };
    pair.server.rule(() => ({ kind: "text", text: JSON.stringify(page) }));
    await expect(pair.api.listSubgraphs()).rejects.toThrow(
      "the API's answer to listSubgraphs points to a page that was already read",
    );
    expect(requests()).toHaveLength(2);
  });

  it("are abandoned after too many pages", async () => {
    let token = 0;
    pair.server.rule(() => {
      token += 1;
      void pair.world.sleep(1_000);
      const page = { data: [], pagination: { next_page_token: `${token}`, page_size: 50 } };
      return { kind: "text", text: JSON.stringify(page) };
    });
    await expect(pair.api.listSubgraphs()).rejects.toThrow(
      "the API's answer to listSubgraphs does not end: more follows after 601 pages",
    );
  });

  it("of one subgraph contain its versions and tags", async () => {
    await deploy();
    await deploy("nouns");
    await pair.api.setTag("pools", "prod", "1.0.0");
    expect(labels(await pair.api.getSubgraph("pools"))).toEqual(["pools/1.0.0", "pools/prod->1.0.0"]);
    expect(await problemOf(pair.api.getSubgraph("nothing"))).toMatchObject({ status: 404 });
  });

  it("of chains contain names", async () => {
    expect((await pair.api.supportedChains()).slice(0, 2)).toEqual(["mainnet", "base"]);
  });

  it("of pipelines are read to the end, with error counts", async () => {
    // The platform has no pipelines.
    expect(await pair.api.listPipelines()).toEqual([]);
    expect(await problemOf(pair.api.pipelineErrorCount("b"))).toMatchObject({ status: 404 });
    const pages = ["a", "b", "c"].map((name, at, { length }) => ({
      data: [pipeline(name)],
      pagination: { next_page_token: at + 1 < length ? name : null, page_size: 1 },
    }));
    pair.server.fail(...pages.map((page) => ({ kind: "text", text: JSON.stringify(page) }) as const));
    expect((await pair.api.listPipelines()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(pair.server.received.slice(-3).map(({ query }) => query)).toEqual([
      {},
      { page_token: "a" },
      { page_token: "b" },
    ]);
    pair.server.fail({ kind: "text", text: '{"data":{"error_count":2}}' });
    expect(await pair.api.pipelineErrorCount("b", 168)).toBe(2);
    expect(pair.server.received.at(-1)?.query).toEqual({ since_hours: "168" });
    expect(await problemOf(pair.api.pipelineErrorCount("b", 169))).toMatchObject({
      status: 400,
      errors: [{ field: "since_hours", message: "must be <= 168" }],
    });
  });
});

describe("a version", () => {
  it("is found by its name or a tag, and not otherwise", async () => {
    await deploy();
    await pair.api.setTag("pools", "prod", "1.0.0");
    expect(labels([(await pair.api.getSubgraphVersion("pools", "1.0.0")) as Subgraph])).toEqual([
      "pools/1.0.0",
    ]);
    const tag = await pair.api.requireSubgraphVersion("pools", "prod");
    expect(labels([tag])).toEqual(["pools/prod->1.0.0"]);
    expect(await pair.api.getSubgraphVersion("pools", "9.9.9")).toBeUndefined();
    expect(await problemOf(pair.api.requireSubgraphVersion("pools", "9.9.9"))).toMatchObject({
      status: 404,
      type: expect.stringMatching(/\/subgraph-not-found$/),
    });
  });

  it("is not found when the list is empty or the answer is a bare 404", async () => {
    const page = JSON.stringify({ data: [], pagination: { next_page_token: null, page_size: 50 } });
    pair.server.fail(
      { kind: "text", text: page },
      { kind: "text", text: page },
      { kind: "status", status: 404 },
    );
    expect(await pair.api.getSubgraphVersion("pools", "1.0.0")).toBeUndefined();
    expect(await problemOf(pair.api.requireSubgraphVersion("pools", "1.0.0"))).toMatchObject({
      status: 404,
      detail: 'The project has no "pools/1.0.0".',
    });
    expect(await pair.api.getSubgraphVersion("pools", "1.0.0")).toBeUndefined();
  });

  it("returns the requested version even if the list contains others", async () => {
    const one = await deploy();
    const data = [{ ...one, version: "0.9.0" }, one];
    const page = { data, pagination: { next_page_token: null, page_size: 50 } };
    pair.server.fail({ kind: "text", text: JSON.stringify(page) });
    expect(await pair.api.getSubgraphVersion("pools", "1.0.0")).toEqual(one);
  });

  it("is not reported as missing when it may exist", async () => {
    pair.server.fail({ kind: "status", status: 403 });
    expect(await problemOf(pair.api.getSubgraphVersion("pools", "1.0.0"))).toMatchObject({ status: 403 });
    const other = { type: "https://api.example.com/api/errors/project-suspended", status: 404 };
    pair.server.fail({ kind: "status", status: 404, text: JSON.stringify(other) });
    expect(await problemOf(pair.api.getSubgraphVersion("pools", "1.0.0"))).toMatchObject(other);
  });

  it("can be paused and resumed, and shows its progress", async () => {
    await deploy();
    await pair.server.status("pools", "1.0.0", { ...freshStatus, headBlock: 600, chainHeadBlock: 1101 });
    const progress = async (): Promise<unknown> => {
      const { synced, status, deployments } = await pair.api.requireSubgraphVersion("pools", "1.0.0");
      return [status, synced, deployments[0]?.indexing_progress?.progress_percent];
    };
    expect(await progress()).toEqual(["ACTIVE", false, 50]);
    await pair.api.pause("pools", "1.0.0");
    expect(await progress()).toEqual(["PAUSED", false, 50]);
    await pair.api.resume("pools", "1.0.0");
    expect(await progress()).toEqual(["ACTIVE", false, 50]);
    expect(requests().slice(-4)).toEqual([
      "PUT /subgraphs/pools/1.0.0/pause",
      "GET /subgraphs/pools/1.0.0",
      "PUT /subgraphs/pools/1.0.0/resume",
      "GET /subgraphs/pools/1.0.0",
    ]);
  });

  it("is paused after an answer with any body", async () => {
    pair.server.fail({ kind: "status", status: 204 }, { kind: "text", text: "ok" });
    await pair.api.pause("pools", "1.0.0");
    await pair.api.pause("pools", "1.0.0");
    const { headers } = pair.server.received[0] ?? {};
    expect([headers?.["content-type"], headers?.["content-length"]]).toEqual([undefined, "0"]);
  });

  it("changes only in the given fields", async () => {
    await deploy();
    const changed = await pair.api.updateSubgraph("pools", "1.0.0", {
      private_endpoint_enabled: true,
      description: "",
    });
    expect(pair.server.received.at(-1)?.body).toEqual({ private_endpoint_enabled: true, description: "" });
    expect(changed).toMatchObject({
      private_endpoint_enabled: true,
      public_endpoint_enabled: true,
      description: "",
    });
  });
});

describe("tags", () => {
  it("can be created, moved and deleted", async () => {
    await deploy();
    await deploy("pools", "2.0.0");
    expect(labels([await pair.api.setTag("pools", "prod", "1.0.0")])).toEqual(["pools/prod->1.0.0"]);
    expect(labels([await pair.api.setTag("pools", "prod", "2.0.0")])).toEqual(["pools/prod->2.0.0"]);
    expect(pair.server.received.at(-1)).toMatchObject({
      method: "PUT",
      path: "/api/v1/subgraphs/pools/tags/prod",
      body: { target_version: "2.0.0" },
    });
    await pair.api.deleteTag("pools", "prod");
    expect(await pair.server.tags()).toEqual([]);
    expect(await problemOf(pair.api.setTag("pools", "prod", "3.0.0"))).toMatchObject({ status: 404 });
  });
});

describe("logs", () => {
  it("are read in pages, with the given filters", async () => {
    await deploy();
    const kinds = ["debug", "info", "error"] as const;
    const logged = Array.from({ length: 152 }, (_, index) => ({
      level: kinds[index % 3] ?? "info",
      text: `Block ${index} of pools`,
      timestamp: 1000 + index,
    }));
    await pair.server.log("pools", "1.0.0", ...logged, { level: "info", text: "other", timestamp: 1 });
    const wanted = logged.filter(({ level }) => level !== "debug");
    const first = await pair.api.logs("pools", "1.0.0", {
      direction: "asc",
      log_levels: "info,error",
      search: "OF pools",
    });
    expect(wanted).toHaveLength(101);
    expect(first).toEqual({ results: wanted.slice(0, 100), cursor: 100 });
    const query = { direction: "asc", log_levels: "info,error", search: "OF pools", cursor: 100, after: 0 };
    const rest = await pair.api.logs("pools", "1.0.0", query);
    expect(rest).toEqual({ results: wanted.slice(100) });
    expect(pair.server.received.at(-1)?.query).toEqual({ ...query, cursor: "100", after: "0" });
  });
});

describe("webhooks", () => {
  const webhook = {
    name: "swaps",
    subgraph_name: "pools",
    subgraph_version: "1.0.0",
    entity: "swap",
    webhook_url: "https://example.com/hook",
  };

  it("can be created for an entity, listed without their secret, and deleted", async () => {
    await deploy();
    expect(await pair.api.entities("pools", "1.0.0")).toMatchObject([{ name: "swap", rows: "0" }]);
    const created = await pair.api.createWebhook({ ...webhook, secret: "s3cret", num_retries: 10 });
    expect(created).toMatchObject({ name: "swaps", webhook_secret: "s3cret" });
    const [listed] = await pair.api.listWebhooks();
    expect(listed).toEqual({
      ...webhook,
      id: created.id,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    await pair.api.deleteWebhook("swaps");
    expect(await pair.api.listWebhooks()).toEqual([]);
    expect(requests().slice(-2)).toEqual(["DELETE /subgraphs/webhooks/swaps", "GET /subgraphs/webhooks"]);
  });

  it("are rejected with the invalid fields", async () => {
    await deploy();
    const wrong = { ...webhook, name: "n".repeat(43), num_retries: 11 };
    expect((await problemOf(pair.api.createWebhook(wrong))).errors).toEqual([
      { field: "name", message: "must NOT have more than 42 characters" },
      { field: "num_retries", message: "must be <= 10" },
    ]);
    const unknown = await problemOf(pair.api.createWebhook({ ...webhook, entity: "Swaps" }));
    expect(unknown.errors).toEqual([
      { field: "entity", message: "the subgraph has no entity Swaps; it has swap" },
    ]);
  });

  it.each(["..", ".", ""])("named %j are not deleted, because the path would change", async (name) => {
    await expect(pair.api.deleteWebhook(name)).rejects.toThrow("is not a valid name");
    expect(requests()).toEqual([]);
  });

  it("can have any other name", async () => {
    await problemOf(pair.api.deleteWebhook("a/b?c#d e+%2e"));
    expect(requests()).toEqual(["DELETE /subgraphs/webhooks/a%2Fb%3Fc%23d%20e%2B%252e"]);
  });
});

describe("the API address", () => {
  it.each([
    ["", "/api/v1"],
    ["/", "/api/v1"],
    ["/api/v1/", "/api/v1"],
    ["/behind/a/proxy", "/behind/a/proxy"],
  ])("for the API address that ends with %j, paths are below %s", async (ending, prefix) => {
    const { origin } = new URL(pair.server.url);
    await pair
      .client({ url: `${origin}${ending}` })
      .supportedChains()
      .catch(() => {});
    expect(pair.server.received[0]?.path).toBe(`${prefix}/subgraphs/supported-chains`);
  });

  it("is not shown when it is invalid", async () => {
    const api = createManagementApi({
      url: "api.example.com/k3y",
      token: pair.server.token,
      world: pair.world,
    });
    await expect(api.supportedChains()).rejects.toThrow(
      /^the address is not a URL that starts with "http:\/\/" or "https:\/\/"$/,
    );
  });
});

describe("--verbose", () => {
  it("prints one line per request, without the token or secrets", async () => {
    await deploy();
    await pair.api.logs("pools", "1.0.0", { search: "a b", after: 5 });
    await pair.api.createWebhook({
      name: "swaps",
      subgraph_name: "pools",
      subgraph_version: "1.0.0",
      entity: "swap",
      webhook_url: "https://example.com",
      secret: "s3cret-of-the-hook",
    });
    await pair
      .client({ token: "another-t0ken" })
      .getSubgraph("pools")
      .catch(() => {});
    const { url } = pair.server;
    expect(pair.lines).toEqual([
      expect.stringMatching(
        `^PUT ${url}/subgraphs/pools/deployments/1.0.0 -> 201 \\(9\\d\\d B sent, 0 ms\\)$`,
      ),
      `GET ${url}/subgraphs/pools/1.0.0/logs?search=a+b&after=5 -> 200 (0 ms)`,
      `POST ${url}/subgraphs/webhooks -> 200 (149 B sent, 0 ms)`,
      `GET ${url}/subgraphs/pools -> 401 (0 ms)`,
    ]);
    expect(pair.lines.join()).not.toMatch(/t0ken|s3cret/);
  });
});
