import { zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { HostedError } from "../../../src/hosting/engine.js";
import { addPipeline, setPipelineSubgraphs } from "../../../src/platform/pipelines/pipeline-rows.js";
import type { Database } from "../../../src/store/database/database.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { onEither } from "../../support/database/databases.js";
import { freshStatus } from "../../support/server/hosting-double.js";
import { sampleBundle, sampleFiles } from "../../support/server/management-sample.js";
import {
  type AskOptions,
  deployForm,
  startPlatform,
  type TestAnswer,
  type TestPlatform,
} from "../../support/server/platform-server.js";

const databases = onEither();
let database: Database;
let server: TestPlatform;
beforeEach(async () => {
  database = await databases.fresh();
  server = await startPlatform(database);
});
afterEach(() => server.close());

const deploy = (at = "pools/1.0.0", fields = {}, bundle = sampleBundle()): Promise<TestAnswer> => {
  const [name, version] = at.split("/");
  return server.ask(`/subgraphs/${name}/deployments/${version}`, {
    method: "PUT",
    form: deployForm(bundle, fields),
  });
};
const ask = (path: string, options?: AskOptions): Promise<TestAnswer> => server.ask(path, options);
const put = (path: string, body?: unknown): Promise<TestAnswer> =>
  ask(path, { method: "PUT", ...(body !== undefined && { body }) });
const labels = ({ json }: TestAnswer): string[] =>
  json.data.map(
    ({ name, version, tag }: { name: string; version: string; tag?: { target_version: string } }) =>
      `${name}/${version}${tag ? `->${tag.target_version}` : ""}`,
  );
/** The status and type of a refusal. */
const refusal = ({ status, json }: TestAnswer): unknown[] => [status, json.type.replace(/.*\//, "")];

describe("a deployment", () => {
  it("is checked, recorded, started and returned", async () => {
    const { status, json } = await deploy("pools/1.0.0+a", { description: "of “all” kinds" });
    expect(status).toBe(201);
    const { deployment_id: id } = json.deployments[0];
    expect(id).toMatch(/^Qm\w{44}$/);
    const { project } = server;
    expect(json).toEqual({
      name: "pools",
      version: "1.0.0+a",
      status: "ACTIVE",
      network: "mainnet",
      health: "HEALTHY",
      synced: false,
      graphql_endpoint: `${server.address}/api/public/${project}/subgraphs/pools/1.0.0%2Ba/gn`,
      private_graphql_endpoint: `${server.address}/api/private/${project}/subgraphs/pools/1.0.0%2Ba/gn`,
      public_endpoint_enabled: true,
      private_endpoint_enabled: false,
      description: "of “all” kinds",
      page_url: `${server.address}/dashboard/pools/1.0.0%2Ba`,
      deployments: [
        {
          deployment_id: id,
          created_at: expect.stringMatching(/^\d{4}-.*Z$/),
          health: "HEALTHY",
          synced: false,
          fatal_error: null,
          non_fatal_errors: [],
          indexing_progress: {
            network: "mainnet",
            progress_percent: 0,
            chain_head_block: 1100,
            deployment_head_block: 99,
            deployment_start_block: 100,
            synced: false,
          },
        },
      ],
    });
    expect(server.hosting.double.calls).toEqual([`check ${id}`, `start ${id}`]);
  });

  it("returns the existing version for the same build, and is rejected for a different one", async () => {
    const first = await deploy();
    const again = await deploy("pools/1.0.0", { description: "ignored" });
    expect(again.status).toBe(201);
    expect(again.json).toEqual(first.json);
    expect(server.hosting.double.calls).toHaveLength(2);
    expect(refusal(await deploy("pools/1.0.0", { start_block: "7" }))).toEqual([409, "conflict"]);
    await put("/subgraphs/pools/tags/prod", { target_version: "1.0.0" });
    expect(refusal(await deploy("pools/prod"))).toEqual([409, "conflict"]);
  });

  it("warns about what will fail, even when it is repeated", async () => {
    server.hosting.double.said = ["m.wasm looks up names of ENS", "the union U is left out"];
    const first = await deploy();
    expect([first.status, first.json.warnings]).toEqual([201, server.hosting.double.said]);
    expect((await deploy()).json).toEqual(first.json);
    expect((await ask("/subgraphs/pools/deployments/1.0.0")).json).not.toHaveProperty("warnings");
  });

  it("can graft the build onto an existing version and change its start block", async () => {
    const base = (await deploy()).json.deployments[0].deployment_id;
    expect(refusal(await deploy("pools/2.0.0", { graft_from: "pools/9" }))).toEqual([
      404,
      "subgraph-not-found",
    ]);
    expect(refusal(await deploy("pools/2.0.0", { graft_from: "pools/1.0.0" }))).toEqual([
      422,
      "unprocessable",
    ]);
    server.hosting.double.statuses.set(base, { ...freshStatus, headBlock: 349 });
    const young = await deploy("pools/2.0.0", { graft_from: "pools/1.0.0" });
    expect(refusal(young)).toEqual([422, "unprocessable"]);
    expect(young.json.detail).toContain(
      "has reached block 349, and the last 250 blocks may still be replaced",
    );
    expect(young.json.detail).toContain("Wait until it has reached block 350, or deploy without");
    server.hosting.double.statuses.set(base, { ...freshStatus, headBlock: 700 });
    const grafted = await deploy("pools/2.0.0", { graft_from: "pools/1.0.0" });
    expect([grafted.status, grafted.json.graft]).toEqual([201, { base, block: 450 }]);
    server.hosting.double.statuses.set(base, { ...freshStatus, headBlock: 900 });
    const again = await deploy("pools/2.0.0", { graft_from: "pools/1.0.0" });
    expect([again.status, again.json]).toEqual([201, grafted.json]);
    server.hosting.double.statuses.set(base, { ...freshStatus, headBlock: 700 });
    const late = await deploy("pools/3.0.0", { graft_from: "pools/1.0.0", start_block: "701" });
    expect(refusal(late)).toEqual([422, "unprocessable"]);
    expect(late.json.detail).toContain("it has reached only block 700");
    const unchecked = { graft_from: "pools/1.0.0", start_block: "701", skip_graft_validation: "1" };
    expect((await deploy("pools/3.0.0", unchecked)).status).toBe(201);
  });

  it.each<[string, Record<string, string>, Uint8Array | undefined, number, object]>([
    ["without a bundle", {}, undefined, 400, { errors: [{ field: "bundle", message: /is required/ }] }],
    [
      "with a bundle that is not a zip",
      {},
      new Uint8Array([1]),
      400,
      { errors: [{ field: "bundle", message: /not a zip/ }] },
    ],
    ["without a manifest", {}, zipSync({ a: new Uint8Array(1) }), 422, { detail: /no subgraph\.yaml/ }],
    [
      "with a misnamed manifest",
      {},
      zipSync({ "b/subgraph.yml": new Uint8Array(1) }),
      422,
      { detail: /rename "b\/subgraph\.yml" to subgraph\.yaml/ },
    ],
    [
      "with a missing file",
      {},
      zipSync({ "subgraph.yaml": sampleFiles()["subgraph.yaml"] as Uint8Array }),
      422,
      { detail: /schema\.file/ },
    ],
    [
      "for a network that is not indexed",
      {},
      sampleBundle({ network: "solana" }),
      422,
      { detail: /"solana".*indexes: mainnet, base/ },
    ],
    [
      "with invalid fields",
      { start_block: "-1", description: "d".repeat(501) },
      sampleBundle(),
      400,
      {
        errors: [
          { field: "start_block", message: /pattern/ },
          { field: "description", message: /500/ },
        ],
      },
    ],
    [
      "that overwrites",
      { overwrite: "1" },
      sampleBundle(),
      400,
      { errors: [{ field: "overwrite", message: /no longer supported/ }] },
    ],
    [
      "with a start block that is too large",
      { start_block: "99999999999" },
      sampleBundle(),
      400,
      { errors: [{ field: "start_block", message: /at most 2147483647/ }] },
    ],
    [
      "with an invalid graft_from",
      { graft_from: "pools" },
      sampleBundle(),
      400,
      { errors: [{ field: "graft_from", message: /name\/version/ }] },
    ],
    ["with an unknown shard", { graph_node_shard: "s" }, sampleBundle(), 422, { detail: /shard "s"/ }],
  ])("is rejected %s", async (_, fields, bundle, status, problem) => {
    const answer = await server.ask("/subgraphs/pools/deployments/1", {
      method: "PUT",
      form: deployForm(bundle, fields),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
    const shaped = JSON.parse(
      JSON.stringify(problem, (_key, value) => (value instanceof RegExp ? { re: value.source } : value)),
      (_key, value) => (value?.re === undefined ? value : expect.stringMatching(new RegExp(value.re))),
    );
    expect(answer.json).toMatchObject(shaped);
    expect(labels(await ask("/subgraphs"))).toEqual([]);
  });

  it("is not recorded when the engine rejects it", async () => {
    server.hosting.double.refuses = new BundleError("dataSources[0].mapping: has no handler");
    const refused = await deploy();
    expect(refusal(refused)).toEqual([422, "unprocessable"]);
    expect(refused.json.detail).toBe("dataSources[0].mapping: has no handler");
    server.hosting.double.refuses = new TypeError("x is not a function");
    const broken = await deploy();
    expect(refusal(broken)).toEqual([500, "internal"]);
    expect(broken.text).not.toContain("x is not a function");
    expect(labels(await ask("/subgraphs"))).toEqual([]);
  });

  it("accepts form parts in any order, and rejects JSON or two bundles", async () => {
    const form = new FormData();
    form.append("bundle", new File([Buffer.from(sampleBundle())], "b.zip"));
    form.append("description", "last");
    const answer = await ask("/subgraphs/pools/deployments/1", { method: "PUT", form });
    expect([answer.status, answer.json.description]).toEqual([201, "last"]);
    const json = await put("/subgraphs/pools/deployments/2", {});
    expect(refusal(json)).toEqual([415, "unsupported-media-type"]);
    const twice = deployForm(sampleBundle(), {});
    twice.append("bundle", new File([Buffer.from(sampleBundle())], "b.zip"));
    expect((await ask("/subgraphs/pools/deployments/2", { method: "PUT", form: twice })).status).toBe(400);
  });

  it("is deleted when nothing refers to it", async () => {
    const id = (await deploy()).json.deployments[0].deployment_id;
    await put("/subgraphs/pools/tags/prod", { target_version: "1.0.0" });
    const used = await ask("/subgraphs/pools/deployments/1.0.0", { method: "DELETE" });
    expect(refusal(used)).toEqual([422, "in-use"]);
    expect(used.json.detail).toContain('the tag "prod"');
    expect((await ask("/subgraphs/pools/tags/prod", { method: "DELETE" })).status).toBe(200);
    expect((await ask("/subgraphs/pools/deployments/1.0.0", { method: "DELETE" })).status).toBe(200);
    expect(refusal(await ask("/subgraphs/pools/1.0.0"))).toEqual([404, "subgraph-not-found"]);
    expect(server.hosting.double.calls.at(-1)).toBe(`remove ${id}`);
  });

  it("stays while a pipeline reads it, under its version, a tag or its id", async () => {
    const id = (await deploy()).json.deployments[0].deployment_id;
    await put("/subgraphs/pools/tags/prod", { target_version: "1.0.0" });
    await put("/subgraphs/pools/tags/spare", { target_version: "1.0.0" });
    const pipeline = { project: server.project, name: "flow" };
    await addPipeline(database, { ...pipeline, form: "pipeline", isJob: false, status: "ACTIVE" });
    const remove = (path: string): Promise<TestAnswer> =>
      ask(`/subgraphs/pools/${path}`, { method: "DELETE" });

    await setPipelineSubgraphs(database, pipeline, [{ name: "pools", version: "prod" }]);
    const used = await remove("tags/prod");
    expect(refusal(used)).toEqual([422, "in-use"]);
    expect(used.json.detail).toBe('"pools/prod" is still used by the pipeline "flow". Delete that first.');
    expect((await remove("tags/spare")).status).toBe(200);

    for (const read of [
      { name: "pools", version: "1.0.0" },
      { name: id, version: undefined },
    ]) {
      await setPipelineSubgraphs(database, pipeline, [read]);
      expect((await remove("deployments/1.0.0")).json.detail).toContain('the pipeline "flow"');
    }
    await setPipelineSubgraphs(database, pipeline, []);
    expect((await remove("tags/prod")).status).toBe(200);
    expect((await remove("deployments/1.0.0")).status).toBe(200);
  });
});

describe("a list", () => {
  it("is paged by name, then by version", async () => {
    for (const at of ["pools/2.0.0", "pools/1.0.0", "nouns/1.0.0", "Pools/1.0.0"]) await deploy(at);
    await put("/subgraphs/pools/tags/prod", { target_version: "2.0.0" });
    const seen: string[][] = [];
    let token: string | null = "";
    do {
      const page = await ask(`/subgraphs?page_size=2${token ? `&page_token=${token}` : ""}`);
      seen.push(labels(page));
      expect(page.json.pagination.page_size).toBe(2);
      token = page.json.pagination.next_page_token;
    } while (token !== null);
    expect(seen).toEqual([
      ["Pools/1.0.0", "nouns/1.0.0"],
      ["pools/1.0.0", "pools/2.0.0"],
      ["pools/prod->2.0.0"],
    ]);
    expect(labels(await ask("/subgraphs/pools"))).toEqual([
      "pools/1.0.0",
      "pools/2.0.0",
      "pools/prod->2.0.0",
    ]);
    expect(labels(await ask("/subgraphs/pools/prod"))).toEqual(["pools/prod->2.0.0"]);
  });

  it.each([
    "page_size=0",
    "page_size=201",
    "page_size=x",
    "page_token=%00",
    "page_token=WyJhIl0",
    "page_token=e30",
  ])("rejects %s", async (query) => {
    const answer = await ask(`/subgraphs?${query}`);
    expect(refusal(answer)).toEqual([400, "bad-request"]);
    expect(answer.json.errors).toEqual([{ field: query.split("=")[0], message: expect.any(String) }]);
  });

  it("of the supported chains is available without a key", async () => {
    const answer = await ask("/subgraphs/supported-chains", { key: undefined });
    expect(answer.json).toEqual({ data: { supported_chains: ["mainnet", "base", "matic", "arbitrum-one"] } });
  });

  it("of subgraphs is available while the engine is down", async () => {
    await deploy();
    server.hosting.double.isAway = new Error("gone");
    const [shown] = (await ask("/subgraphs/pools/1.0.0")).json.data;
    expect(shown).toMatchObject({ health: "UNKNOWN", synced: false, status: "ACTIVE" });
    expect(shown.deployments[0]).not.toHaveProperty("indexing_progress");
  });
});

describe("a version", () => {
  it("can be paused and resumed, but a tag cannot", async () => {
    const id = (await deploy()).json.deployments[0].deployment_id;
    await put("/subgraphs/pools/tags/prod", { target_version: "1.0.0" });
    expect((await put("/subgraphs/pools/1.0.0/pause")).status).toBe(200);
    expect((await ask("/subgraphs/pools/prod")).json.data[0].status).toBe("PAUSED");
    expect((await put("/subgraphs/pools/1.0.0/resume", {})).status).toBe(200);
    expect((await ask("/subgraphs/pools/1.0.0")).json.data[0].status).toBe("ACTIVE");
    expect(server.hosting.double.calls.slice(1)).toEqual([`start ${id}`, `pause ${id}`, `start ${id}`]);
    expect(refusal(await put("/subgraphs/pools/prod/pause"))).toEqual([422, "unprocessable"]);
    expect(refusal(await put("/subgraphs/pools/2/pause"))).toEqual([404, "subgraph-not-found"]);
  });

  it("deployed without a public endpoint is never public, nor are its tags", async () => {
    const closed = { public_endpoint_enabled: "0", private_endpoint_enabled: "1" };
    const made = await deploy("pools/1.0.0", closed);
    const switches = { public_endpoint_enabled: false, private_endpoint_enabled: true };
    expect([made.status, made.json]).toMatchObject([201, switches]);
    const tag = await put("/subgraphs/pools/tags/prod", { target_version: "1.0.0" });
    expect(tag.json.data).toMatchObject(switches);
    // A tag keeps its settings when it is moved.
    await deploy("pools/2.0.0");
    expect((await put("/subgraphs/pools/tags/prod", { target_version: "2.0.0" })).json.data).toMatchObject(
      switches,
    );
    expect((await put("/subgraphs/pools/tags/next", { target_version: "2.0.0" })).json.data).toMatchObject({
      public_endpoint_enabled: true,
      private_endpoint_enabled: false,
    });
    const wrong = await deploy("pools/3.0.0", { public_endpoint_enabled: "no" });
    expect(wrong.json.errors).toEqual([{ field: "public_endpoint_enabled", message: "must be 0 or 1" }]);
    const { DeployForm, Subgraph } = (await ask("/openapi.json")).json.components.schemas;
    expect(DeployForm.properties.public_endpoint_enabled).toMatchObject({ "x-graphloom-extension": true });
    expect(Subgraph.properties.graft).toMatchObject({ "x-graphloom-extension": true });
  });

  it("without a public endpoint is not opened by moving a public tag to it", async () => {
    await deploy("pools/1.0.0");
    await put("/subgraphs/pools/tags/prod", { target_version: "1.0.0" });
    await deploy("pools/2.0.0", { public_endpoint_enabled: "0" });
    const refused = await put("/subgraphs/pools/tags/prod", { target_version: "2.0.0" });
    expect(refusal(refused)).toEqual([422, "unprocessable"]);
    expect(refused.json.detail).toContain('public endpoint of the tag "pools/prod" is on');
    expect((await ask("/subgraphs/pools/prod")).json.data).toMatchObject([
      { tag: { target_version: "1.0.0" }, public_endpoint_enabled: true },
    ]);
    const closing = { method: "PATCH", body: { public_endpoint_enabled: false } };
    expect((await ask("/subgraphs/pools/prod", closing)).status).toBe(200);
    const moved = await put("/subgraphs/pools/tags/prod", { target_version: "2.0.0" });
    expect(moved.json.data).toMatchObject({
      tag: { target_version: "2.0.0" },
      public_endpoint_enabled: false,
    });
  });

  it("and its tag are changed independently", async () => {
    await deploy();
    await put("/subgraphs/pools/tags/prod", { target_version: "1.0.0" });
    const patch = (at: string, body?: unknown) =>
      ask(`/subgraphs/pools/${at}`, { method: "PATCH", ...(body !== undefined && { body }) });
    const changed = await patch("prod", { public_endpoint_enabled: false, description: "d" });
    expect(changed.json.data).toMatchObject({
      version: "prod",
      public_endpoint_enabled: false,
      description: "d",
    });
    expect((await patch("1.0.0", { private_endpoint_enabled: true })).json.data).toMatchObject({
      public_endpoint_enabled: true,
      private_endpoint_enabled: true,
      description: null,
    });
    expect((await patch("prod")).json.data).toMatchObject({
      public_endpoint_enabled: false,
      description: "d",
    });
    const wrong = await patch("prod", { public_endpoint_enabled: "no", description: 5 });
    expect(wrong.json.errors).toEqual([
      { field: "public_endpoint_enabled", message: "must be boolean" },
      { field: "description", message: "must be string" },
    ]);
    expect(refusal(await patch("prod", { description: "a\0b" }))).toEqual([400, "bad-request"]);
    expect(refusal(await patch("9", {}))).toEqual([404, "subgraph-not-found"]);
  });

  it("can be the target of a tag, but a tag cannot", async () => {
    await deploy();
    await deploy("pools/2.0.0");
    const set = (tag: string, target_version: string) =>
      put(`/subgraphs/pools/tags/${tag}`, { target_version });
    expect((await set("pause", "1.0.0")).json.data).toMatchObject({
      version: "pause",
      tag: { target_version: "1.0.0" },
    });
    expect((await set("pause", "2.0.0")).json.data).toMatchObject({
      version: "pause",
      tag: { target_version: "2.0.0" },
    });
    expect(refusal(await set("beta", "pause"))).toEqual([422, "unprocessable"]);
    expect(refusal(await set("beta", "9"))).toEqual([404, "subgraph-not-found"]);
    expect(refusal(await set("1.0.0", "2.0.0"))).toEqual([409, "conflict"]);
    expect(refusal(await set("beta", "not a version"))).toEqual([400, "bad-request"]);
    const remove = (tag: string) => ask(`/subgraphs/pools/tags/${tag}`, { method: "DELETE" });
    expect(refusal(await remove("1.0.0"))).toEqual([422, "unprocessable"]);
    expect(refusal(await remove("beta"))).toEqual([404, "subgraph-not-found"]);
  });

  it("reports why it failed", async () => {
    const id = (await deploy()).json.deployments[0].deployment_id;
    server.hosting.double.statuses.set(id, {
      ...freshStatus,
      health: "failed",
      headBlock: 349,
      fatalError: { message: "it aborted", block: 350, handler: "handleSwap", place: "src/pool.ts:12:3" },
      nonFatalErrors: [
        { message: "one" },
        { message: "two", block: 7, place: "src/pool.ts:3:4", configPlace: "pools.json:9:8" },
      ],
    });
    const [shown] = (await ask("/subgraphs/pools/1.0.0")).json.data;
    expect(shown.health).toBe("FAILED");
    expect(shown.deployments[0]).toMatchObject({
      fatal_error: "handleSwap at block 350 (src/pool.ts:12:3): it aborted",
      non_fatal_errors: ["one", "at block 7 (pools.json:9:8): two"],
      indexing_progress: { progress_percent: 24.98, deployment_head_block: 349 },
    });
  });
});

describe("a version that retries a failing block", () => {
  it("reports the first failure and the number of attempts in extension fields", async () => {
    const id = (await deploy()).json.deployments[0].deployment_id;
    const failed = { ...freshStatus, health: "failed", headBlock: 349 } as const;
    const fatalError: HostedError = {
      message: "no file (tried 2 times)",
      block: 350,
      isRetried: true as const,
      failingSince: Date.UTC(2026, 0, 2, 3, 4, 5),
      attempts: 2,
    };
    server.hosting.double.statuses.set(id, { ...failed, fatalError });
    const [shown] = (await ask("/subgraphs/pools/1.0.0")).json.data;
    expect([shown.health, shown.deployments[0]]).toMatchObject([
      "FAILED",
      {
        fatal_error: "at block 350: no file (tried 2 times)",
        failing_since: "2026-01-02T03:04:05.000Z",
        attempts: 2,
      },
    ]);
    server.hosting.double.statuses.set(id, { ...failed, fatalError: { message: "it aborted" } });
    const [ended] = (await ask("/subgraphs/pools/1.0.0")).json.data;
    const { Deployment } = (await ask("/openapi.json")).json.components.schemas;
    for (const field of ["failing_since", "attempts"]) {
      expect(ended.deployments[0]).not.toHaveProperty(field);
      expect(Deployment.properties[field]).toMatchObject({ "x-graphloom-extension": true });
      expect(Deployment.required).not.toContain(field);
    }
  });
});

describe("the log of a version", () => {
  it("is paged and filtered by level, text and time", async () => {
    const id = (await deploy()).json.deployments[0].deployment_id;
    const levels = ["error", "warn", "info", "debug"] as const;
    const lines = Array.from({ length: 150 }, (_, at) => ({
      text: `line ${at}`,
      timestamp: 1000 + at,
      level: levels[at % 4] ?? "info",
    }));
    server.hosting.double.lines.set(id, lines);
    const log = async (query = "") => (await ask(`/subgraphs/pools/1.0.0/logs?${query}`)).json.data;
    const first = await log();
    expect([first.results.length, first.results[0], first.cursor]).toEqual([100, lines[149], 100]);
    const rest = await log("cursor=100");
    expect([rest.results.length, "cursor" in rest]).toEqual([50, false]);
    expect((await log("direction=asc&after=1100")).results[0]).toEqual(lines[100]);
    expect((await log("search=LINE+14")).results.map(({ text }: { text: string }) => text)).toContain(
      "line 14",
    );
    const only = async (query: string) =>
      [...new Set((await log(query)).results.map(({ level }: { level: string }) => level))].sort();
    expect(await only("log_level=warn")).toEqual(["error", "warn"]);
    expect(await only("log_levels=info,debug&log_level=error")).toEqual(["debug", "info"]);
    for (const wrong of [
      "log_level=loud",
      "log_levels=info,loud",
      "cursor=-1",
      "cursor=x",
      "after=1e300",
      "direction=up",
    ]) {
      expect(refusal(await ask(`/subgraphs/pools/1.0.0/logs?${wrong}`)), wrong).toEqual([400, "bad-request"]);
    }
  });
});

describe("the entities of a version", () => {
  it("are listed before anything is indexed", async () => {
    await deploy();
    const { json } = await ask("/subgraphs/pools/1.0.0/entities");
    expect(json.data.entities).toEqual([
      {
        name: "swap",
        rows: "0",
        columns: [
          { name: "vid", data_type: "bigint" },
          { name: "block$", data_type: "integer" },
          { name: "id", data_type: "bytea" },
          { name: "amount_in", data_type: "numeric" },
        ],
      },
    ]);
  });
});
