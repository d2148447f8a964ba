import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createNodeWorld } from "../../../../src/node/world.js";
import type { Engine, HostedBuild, HostedChange } from "../../../../src/platform/hosting/engine.js";
import { createGraphNodeEngine } from "../../../../src/platform/hosting/graph-node/graph-node-engine.js";
import { readEngineOption } from "../../../../src/platform/hosting/graph-node/read-addresses.js";
import { linkBuild } from "../../../../src/subgraph/deployment/link-build.js";
import { servers } from "../../../deploy/graph-node/harness.js";
import { sampleBuild } from "../../../subgraph/sample-build.js";

const both = servers({ step: 500, head: 1000 });
const { deploymentId } = linkBuild(sampleBuild());
const build: HostedBuild = {
  deployment: deploymentId,
  network: "mainnet",
  files: async () => ({ manifest: "subgraph.yaml", files: sampleBuild().files }),
};
const world = { ...createNodeWorld(), sleep: () => new Promise<void>((resolve) => setTimeout(resolve, 5)) };
const query = { direction: "asc", limit: 100 } as const;
let engine: Engine;

beforeEach(() => {
  engine = createGraphNodeEngine(
    {
      admin: both.node.admin.url,
      status: both.node.statusUrl,
      query: both.node.queries.url,
      ipfs: both.ipfs.url,
    },
    world,
  );
});
afterEach(() => engine.close());

const calls = () => both.node.calls.map(({ method }) => method);
const statusNow = async () => (await engine.status([deploymentId])).get(deploymentId);

describe("A graph-node as an engine", () => {
  it("takes a build once, whatever it is asked, and says how far it is", async () => {
    await engine.check({ ...build, project: "project_1" });
    expect(calls()).toEqual([]);
    await engine.start(build);
    await engine.start(build);
    expect(calls()).toEqual(["subgraph_create", "subgraph_deploy"]);
    expect(both.node.subgraphs.get(`graphloom/${deploymentId}`)).toEqual([deploymentId]);
    expect(await statusNow()).toMatchObject({ health: "healthy", isSynced: false, chainHeadBlock: 1000 });
    await statusNow();
    expect(await statusNow()).toMatchObject({ isSynced: true, headBlock: 1000 });
  });

  it("finds after a restart what is there already", async () => {
    await engine.start(build);
    const again = createGraphNodeEngine(
      {
        admin: both.node.admin.url,
        status: both.node.statusUrl,
        query: both.node.queries.url,
        ipfs: both.ipfs.url,
      },
      world,
    );
    await again.start(build);
    expect(calls()).toEqual(["subgraph_create", "subgraph_deploy"]);
    await again.close();
  });

  it("pauses, goes on, and removes", async () => {
    await engine.start(build);
    await engine.pause(deploymentId);
    await engine.pause(deploymentId);
    expect(both.node.deployments.get(deploymentId)?.paused).toBe(true);
    await engine.start(build);
    expect(both.node.deployments.get(deploymentId)?.paused).toBe(false);
    await engine.remove(deploymentId);
    await engine.remove(deploymentId);
    expect(both.node.deployments.size).toBe(0);
    expect(await statusNow()).toBeUndefined();
    expect((await engine.logs(deploymentId, query)).lines).toEqual([]);
  });

  it("tells why graph-node has refused a build, and takes it when it no longer does", async () => {
    const text = JSON.stringify({
      jsonrpc: "2.0",
      id: "2",
      error: { code: 0, message: "network not supported by registrar: mainnet" },
    });
    both.node.admin.fail({ kind: "text", text });
    await expect(engine.start(build)).rejects.toThrow("network not supported by registrar");
    expect(await statusNow()).toMatchObject({
      health: "failed",
      fatalError: { message: expect.stringContaining("start it with one") },
    });
    await engine.start(build);
    expect(await statusNow()).toMatchObject({ health: "healthy" });
    const { lines } = await engine.logs(deploymentId, { ...query, levels: ["error"] });
    expect(lines.at(-1)?.text).toContain("network not supported");
  });

  it("hears of blocks and of failures, and keeps what it has seen as a log", async () => {
    const heard: HostedChange[] = [];
    await engine.start(build);
    const stop = engine.onChange((change) => heard.push(change));
    await expect.poll(() => heard.at(-1)?.headBlock).toBe(1000);
    const fatal = { message: "division by zero\u001b[2J", deterministic: true };
    both.node.set(deploymentId, { fatal, nonFatal: ["no pool"] });
    const seen = heard.length;
    await expect.poll(() => heard.length).toBeGreaterThan(seen);
    stop();
    expect(await statusNow()).toMatchObject({
      health: "failed",
      fatalError: { message: "division by zero\\u001b[2J", handler: "handleTransfer" },
      nonFatalErrors: [{ message: "no pool", handler: "handleSwap" }],
    });
    const page = await engine.logs(deploymentId, { direction: "desc", limit: 2 });
    expect(page.lines.map(({ text, level }) => [level, text])).toEqual([
      ["warn", "handleSwap failed: no pool"],
      ["error", "graph-node says that it is failed in handleTransfer: division by zero\\u001b[2J"],
    ]);
    const rest = await engine.logs(deploymentId, { direction: "desc", limit: 9, cursor: page.cursor ?? 0 });
    expect(rest.lines[0]?.text).toContain("deployed to graph-node");
  });

  it("passes queries on as they are, and answers with what clients may know", async () => {
    await engine.start(build);
    const body = '{"query": "{ pools { id } }", ';
    const answer = await engine.answer(deploymentId, body);
    expect(JSON.parse(answer.body)).toEqual({ data: { asked: body } });
    expect(answer.headers).toEqual({ "graph-attestable": "true" });
    both.node.queries.fail({ kind: "status", status: 404 });
    await expect(engine.answer(deploymentId, body)).rejects.toThrow("did not answer a query (status 404)");
  });
});

describe("--engine", () => {
  const web = "http://a:8020,http://a:8030/graphql,http://a:8000,http://a:5001";
  it("names the addresses", () => {
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
  ])("is refused: %s", (text) => expect(readEngineOption(text)).toBeUndefined());
});
