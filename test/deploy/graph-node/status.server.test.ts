import { beforeEach, describe, expect, it, test } from "vitest";
import { createGraphNodeTarget } from "../../../src/deploy/graph-node/graph-node-target.js";
import { createGraphNodeStatus, statusUrlOf } from "../../../src/deploy/graph-node/status.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { request, servers, world } from "./harness.js";

const both = servers({ head: 1200, step: 500 });
const { deploymentId } = linkBuild(sampleBuild());
const status = () => createGraphNodeStatus(both.node.statusUrl, world);

const deploy = (name: string, description?: string) =>
  createGraphNodeTarget(
    { adminUrl: both.node.admin.url, ipfsUrl: both.ipfs.url, statusUrl: both.node.statusUrl },
    world,
  ).deploy(request({ name, description }), () => {});

describe("the status of a deployment", () => {
  beforeEach(() => deploy("pools"));

  it("reports the progress of a deployment until it is synced", async () => {
    const { ofDeployment } = status();
    const base = {
      deploymentId,
      health: "healthy",
      head: 1200,
      earliestBlock: 0,
      nonFatalErrors: [],
    };
    expect(await ofDeployment(deploymentId)).toEqual({ ...base, synced: false });
    expect(await ofDeployment(deploymentId)).toEqual({ ...base, synced: false, block: 500 });
    expect(await ofDeployment(deploymentId)).toEqual({ ...base, synced: false, block: 1000 });
    expect(await ofDeployment(deploymentId)).toEqual({ ...base, synced: true, block: 1200 });
  });

  it("returns no status for a version that is not deployed", async () => {
    expect(await status().ofDeployment("QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH")).toBeUndefined();
    expect(await status().ofName("other/v1-0-0")).toBeUndefined();
  });

  it("distinguishes a permanent failure from one that graph-node retries", async () => {
    both.node.set(deploymentId, { block: 7, fatal: { message: "out of gas", deterministic: true } });
    const failed = {
      deploymentId,
      synced: false,
      block: 7,
      head: 1200,
      fatalError: "out of gas",
      failedHandler: "handleTransfer",
      earliestBlock: 0,
      nonFatalErrors: [],
    };
    expect(await status().ofDeployment(deploymentId)).toEqual({ ...failed, health: "failed" });
    both.node.set(deploymentId, { fatal: { message: "no answer", deterministic: false } });
    expect(await status().ofDeployment(deploymentId)).toEqual({
      ...failed,
      health: "unhealthy",
      fatalError: "no answer",
    });
    both.node.set(deploymentId, { fatal: undefined, health: "unhealthy" });
    expect(await status().ofDeployment(deploymentId)).toMatchObject({ health: "unhealthy" });
  });

  it("finds the status by name", async () => {
    expect(await status().ofName("pools/v1-0-0")).toMatchObject({ deploymentId });
  });

  it("finds the newest deployment by name, even if it is still pending", async () => {
    const { deploymentId: newer } = await deploy("pools", "newer");
    expect(newer).not.toBe(deploymentId);
    expect(both.node.subgraphs.get("pools/v1-0-0")).toEqual([deploymentId, newer]);
    expect((await status().ofName("pools/v1-0-0"))?.deploymentId).toBe(newer);
  });
});

test.each([
  [
    "an invalid JSON document",
    "<html>",
    "did not answer as the status interface of graph-node does (status 200): <html>; check the address (usually port 8030, path /graphql)",
  ],
  ["errors", '{"errors":[{"message":"bad\\u001b[2J"}]}', String.raw`(status 200): bad\u001b[2J;`],
  [
    "errors and data",
    '{"data":{"indexingStatuses":[]},"errors":[{"message":"half"}]}',
    "(status 200): half;",
  ],
  ["other errors", '{"errors":[1]}', '(status 200): {"errors":[1]};'],
  ["no data", "{}", "(status 200): {};"],
  ["an invalid status", '{"data":{"indexingStatuses":[{"subgraph":1}]}}', '(status 200): {"subgraph":1};'],
  ["an invalid list", '{"data":{"indexingStatuses":"all"}}', '(status 200): "all";'],
])("the client rejects an answer with %s", async (_, text, message) => {
  both.node.status.fail({ kind: "text", text });
  const asking = status().ofDeployment(deploymentId);
  await expect(asking).rejects.toThrow(message);
  await expect(asking).rejects.toMatchObject({ name: "GraphNodeError" });
});

test("the client accepts an answer without optional fields", async () => {
  const bare = { subgraph: "Qm", synced: false, health: "resting", chains: [], fatalError: null };
  both.node.status.fail({ kind: "text", text: JSON.stringify({ data: { indexingStatuses: [bare] } }) });
  expect(await status().ofDeployment("Qm")).toEqual({
    deploymentId: "Qm",
    synced: false,
    health: "unknown",
    nonFatalErrors: [],
  });
  const odd = { ...bare, chains: [{ latestBlock: { number: "x" }, chainHeadBlock: { number: 5 } }] };
  both.node.status.fail({ kind: "text", text: JSON.stringify({ data: { indexingStatuses: [odd] } }) });
  expect(await status().ofDeployment("Qm")).toMatchObject({ head: 5 });
});

test("the client retries when graph-node is busy", async () => {
  both.node.status.fail({ kind: "cut" }, { kind: "status", status: 502 });
  expect(await status().ofDeployment("Qm")).toBeUndefined();
  expect(both.node.status.requests).toHaveLength(3);
});

test.each([
  ["http://localhost:8020", "http://localhost:8030/graphql"],
  ["http://localhost:8020/", "http://localhost:8030/graphql"],
  ["https://node.example.com/admin?x=1", "https://node.example.com:8030/graphql"],
  ["http://u:p@[::1]:8020", "http://u:p@[::1]:8030/graphql"],
  ["localhost:8020", undefined],
])("the client derives the status address of %s: %s", (admin, expected) => {
  expect(statusUrlOf(admin)).toBe(expected);
});

test("the client rejects an address that is not a URL", () => {
  expect(() => createGraphNodeStatus("", world)).toThrow("The address of graph-node's status is not a URL");
});
