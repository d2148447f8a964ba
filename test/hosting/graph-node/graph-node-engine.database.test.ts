import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Engine, HostedBuild, HostedChange, OfferedBuild } from "../../../src/hosting/engine.js";
import { createGraphNodeEngine } from "../../../src/hosting/graph-node/graph-node-engine.js";
import { readEngineOption } from "../../../src/hosting/graph-node/read-addresses.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { readServerId } from "../../../src/platform/sealing/server-id.js";
import { checkSecretKey } from "../../../src/platform/sealing/server-key.js";
import { addVersion } from "../../../src/platform/subgraphs/versions.js";
import { readQueryBody } from "../../../src/query/query-body.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { ReadBuild } from "../../../src/subgraph/runnable/read-build.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { servers } from "../../deploy/graph-node/harness.js";
import { onPglite } from "../../support/database/databases.js";
import { realWorld } from "../../support/worlds.js";
import { buildOf, idOf } from "./beside.js";

const both = servers({ step: 500, head: 1000 });
const world = { ...realWorld, timeout: (time: number) => realWorld.timeout(time === 2_000 ? 20 : time) };
const query = { direction: "asc", limit: 100 } as const;
let database: Database;
let deploymentId: string;
let build: HostedBuild & OfferedBuild;
let engine: Engine;

beforeAll(async () => {
  const made = await buildOf("engine");
  deploymentId = idOf(made);
  const unused = (): never => {
    throw new Error("a graph-node decides about these itself");
  };
  build = {
    deployment: deploymentId,
    network: "mainnet",
    read: async () => new ReadBuild(made),
    project: "project_1",
    mayRead: unused,
    find: unused,
    keepPaused: unused,
  };
  database = await onPglite().fresh();
  await checkSecretKey(database, new Uint8Array(32));
  await createProject(database, { id: "project_1", name: "test" });
  const named = { project: "project_1", name: "test", version: "1.0.0", description: null };
  const bundle = zipBuild(made);
  await database.transaction((sql) =>
    addVersion(sql, { ...named, deployment: deploymentId, bundle, network: "mainnet", engine: "graph-node" }),
  );
});
beforeEach(async () => {
  await database.query(SQL`delete from graphloom.graph_node_deployments`);
  engine = start();
});

function start(): Engine {
  const { admin, statusUrl: status, queries } = both.node;
  const addresses = { admin: admin.url, status, query: queries.url, ipfs: both.ipfs.url };
  const made = createGraphNodeEngine(addresses, world, {
    database,
    serverId: () => readServerId(database),
  });
  onTestFinished(() => made.close());
  return made;
}

const calls = () =>
  both.node.calls.map(({ method }) => method).filter((method) => method !== "subgraph_pause");
const statusNow = async () => (await engine.status([deploymentId])).get(deploymentId);

describe("A graph-node as an engine", () => {
  it("deploys a build once, however often a caller asks, and reports its progress", async () => {
    await engine.check(build);
    expect(calls()).toEqual([]);
    await engine.start(build);
    await engine.start(build);
    expect(calls()).toEqual(["subgraph_create", "subgraph_deploy"]);
    const names = [...both.node.subgraphs];
    expect(names).toEqual([
      [expect.stringMatching(`^graphloom-[0-9a-f]{16}/${deploymentId}$`), [deploymentId]],
    ]);
    await expect.poll(statusNow).toMatchObject({ health: "healthy", isSynced: true, headBlock: 1000 });
  });

  it("finds existing deployments after a restart", async () => {
    await engine.start(build);
    await engine.close();
    await start().start(build);
    expect(calls()).toEqual(["subgraph_create", "subgraph_deploy"]);
  });

  it("removes a deployment, and does nothing the second time", async () => {
    await engine.start(build);
    await engine.remove(deploymentId, async () => false);
    expect(both.node.subgraphs.size).toBe(1);
    await engine.remove(deploymentId, async () => true);
    await engine.remove(deploymentId, async () => true);
    expect(both.node.subgraphs.size).toBe(0);
    expect(both.node.deployments.get(deploymentId)?.node).toBe(null);
    expect((await engine.logs(deploymentId, query)).lines).toEqual([]);
  });

  it("reports why graph-node refused a build, and deploys it once graph-node accepts it", async () => {
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id: "2",
      error: { code: 0, message: "network not supported by registrar: mainnet" },
    });
    both.node.admin.rule(({ body }) =>
      String(body).includes("subgraph_deploy") ? { kind: "text", text } : undefined,
    );
    await expect(engine.start(build)).rejects.toThrow("network not supported by registrar");
    const why = expect.stringMatching(
      /^graph-node refused subgraph_deploy: network not supported.*start it with one/,
    );
    expect(await statusNow()).toMatchObject({ health: "failed", fatalError: { message: why } });
    expect(engine.refusal?.(deploymentId)).toEqual(why);
    both.node.admin.rule(() => undefined);
    await engine.start(build);
    expect(await statusNow()).toMatchObject({ health: "healthy" });
    expect(engine.refusal?.(deploymentId)).toBeUndefined();
    const { lines } = await engine.logs(deploymentId, { ...query, levels: ["error"] });
    expect(lines.at(-1)?.text).toContain("network not supported");
  });

  it("retries a build on which graph-node panics, and does not report a refusal", async () => {
    both.node.admin.rule(({ body }) =>
      String(body).includes("subgraph_deploy") ? { kind: "cut" } : undefined,
    );
    await expect(engine.start(build)).rejects.toThrow("the connection was lost");
    expect(await statusNow()).toMatchObject({ health: "failed" });
    expect(engine.refusal?.(deploymentId)).toBeUndefined();
  });

  it("reports blocks and failures to listeners and writes them to a log", async () => {
    const heard: HostedChange[] = [];
    const stop = engine.onChange((change) => heard.push(change));
    await engine.start(build);
    await expect.poll(() => heard.at(-1)?.headBlock).toBe(1000);
    const fatal = { message: "division by zero\u001b[2J", deterministic: true };
    both.node.set(deploymentId, { fatal, nonFatal: ["no pool"] });
    const seen = heard.length;
    await expect.poll(() => heard.length).toBeGreaterThan(seen);
    stop();
    expect(await statusNow()).toMatchObject({
      health: "failed",
      fatalError: { message: "division by zero\\u001b[2J", handler: "handleTransfer", block: 1000 },
      nonFatalErrors: [{ message: "no pool", handler: "handleSwap" }],
    });
    const page = await engine.logs(deploymentId, { direction: "desc", limit: 2 });
    expect(page.lines.map(({ text, level }) => [level, text])).toEqual([
      ["warn", "handleSwap failed: no pool"],
      ["error", "graph-node reports it as failed in handleTransfer: division by zero\\u001b[2J"],
    ]);
    const rest = await engine.logs(deploymentId, { direction: "asc", limit: 9 });
    expect(rest.lines[0]?.text).toContain("deployed to graph-node");
  });

  it("reports blocks that a reorganisation replaced, but not each retry of a failed block", async () => {
    const heard: HostedChange[] = [];
    const stop = engine.onChange((change) => heard.push(change));
    await engine.start(build);
    await expect.poll(() => heard.at(-1)?.headBlock).toBe(1000);
    const reverted = () => heard.filter((change) => change.reverted !== undefined);
    both.node.set(deploymentId, { block: 997 });
    const told = { deployment: deploymentId, headBlock: 997, reverted: 3, isShared: true };
    await expect.poll(reverted).toEqual([told]);
    await expect.poll(() => heard.at(-1)?.headBlock).toBe(1000);
    const seen = heard.length;
    both.node.set(deploymentId, { fatal: { message: "no", deterministic: true } });
    await expect.poll(() => heard.length).toBe(seen + 1);
    both.node.set(deploymentId, { block: 999, fatal: undefined });
    await expect.poll(() => heard[seen + 1]?.headBlock).toBe(999);
    expect(reverted()).toEqual([told]);
    stop();
  });

  it("passes queries on unchanged, and returns only what clients may see", async () => {
    await engine.start(build);
    const body = '{"query": "{ pools { id } }", ';
    const answer = await engine.answer(deploymentId, readQueryBody(body));
    expect(JSON.parse(answer.body)).toEqual({ data: { asked: body } });
    expect(answer.headers).toEqual({ "graph-attestable": "true" });
    both.node.queries.rule(() => ({ kind: "status", status: 404 }));
    await expect(engine.answer(deploymentId, readQueryBody(body))).rejects.toThrow(
      "did not answer a query (status 404)",
    );
  });
});

describe("--engine", () => {
  const web = "http://a:8020,http://a:8030/graphql,http://a:8000,http://a:5001";
  it("the --engine option names the addresses", () => {
    expect(readEngineOption(`graph-node=${web}`)).toEqual({
      admin: "http://a:8020",
      status: "http://a:8030/graphql",
      query: "http://a:8000",
      ipfs: "http://a:5001",
    });
    expect(readEngineOption(`graph-node=${web},postgres://u:p@h/d`)?.postgres).toBe("postgres://u:p@h/d");
  });
  it.each([
    "",
    "graph-node",
    "graph-node=http://a",
    `node=${web}`,
    `graph-node=${web},mysql://x`,
    `graph-node=${web},postgres://x,y`,
  ])("refuses the --engine option: %s", (text) => expect(readEngineOption(text)).toBeUndefined());
});
