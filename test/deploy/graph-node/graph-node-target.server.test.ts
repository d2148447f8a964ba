import { describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import { deployAll } from "../../../src/deploy/deploy-all.js";
import { createGraphNodeTarget } from "../../../src/deploy/graph-node/graph-node-target.js";
import { IpfsError } from "../../../src/deploy/ipfs/ipfs-error.js";
import type { DeployProgress, DeployTarget } from "../../../src/deploy/target.js";
import { adjustBuild } from "../../../src/subgraph/adjust-build.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { sampleBuild, wasm } from "../../subgraph/sample-build.js";
import { request, servers, world } from "./harness.js";

const both = servers({ head: 2000, step: 1000 });
const { deploymentId, files, manifest } = linkBuild(sampleBuild());
const pools = { name: "pools", version: "1.0.0" };
const silent = (): void => {};

const target = (): DeployTarget =>
  createGraphNodeTarget(
    { adminUrl: both.node.admin.url, ipfsUrl: both.ipfs.url, statusUrl: both.node.statusUrl },
    world,
  );

/** The deployed manifest, as graph-node reads it. */
function deployedManifest(id: string | undefined): Record<string, unknown> {
  return parse(new TextDecoder().decode(both.ipfs.held.get(id ?? "")));
}

it("the target deploys and tags when the status interface is unreachable", async () => {
  await both.node.status.stop();
  const results = await deployAll([request()], target(), { tags: ["prod"], existing: "replace" });
  expect(results).toMatchObject([{ state: "deployed", tags: ["prod"], deployment: { deploymentId } }]);
  expect([...both.node.subgraphs.keys()]).toEqual(["pools/v1-0-0", "pools/prod"]);
});

it("the target fails with the option keep when it cannot look up the version", async () => {
  await both.node.status.stop();
  const [result] = await deployAll([request()], target(), { tags: [], existing: "keep" });
  expect(result).toMatchObject({ state: "failed", error: { kind: "unreachable" } });
  expect(both.node.calls).toEqual([]);
});

describe("a deployment", () => {
  it("pins the files on IPFS and deploys to the graph-node under the name", async () => {
    expect(target().label).toBe(`graph-node at ${both.node.admin.url}`);
    expect(await target().expectedId(request())).toBe(deploymentId);
    expect(await target().deploy(request(), silent)).toEqual({
      deploymentId,
      queryUrl: "http://127.0.0.1:8000/subgraphs/name/pools/v1-0-0",
    });
    expect(both.node.subgraphs).toEqual(new Map([["pools/v1-0-0", [deploymentId]]]));
    const cids = new Set([...files.map(({ cid }) => cid), deploymentId]);
    expect(both.ipfs.pinned).toEqual(cids);
    // Every file once, the manifest last.
    expect(both.ipfs.added.map(({ cid }) => cid)).toHaveLength(cids.size);
    expect(both.ipfs.added.at(-1)?.cid).toBe(deploymentId);
    expect(both.ipfs.held.get(deploymentId)).toEqual(Buffer.from(manifest));
  });

  it("reports its progress", async () => {
    const seen: DeployProgress[] = [];
    await target().deploy(request(), (progress) => seen.push(progress));
    const uploads = seen.filter(({ step }) => step === "uploading");
    const sizes = new Map(files.map(({ cid, bytes }) => [cid, bytes.length]));
    const total = [...sizes.values()].reduce((sum, size) => sum + size, manifest.length);
    expect(uploads[0]).toEqual({ step: "uploading", done: 0, total });
    expect(uploads.at(-1)).toEqual({ step: "uploading", done: total, total });
    expect(uploads.map(({ done }) => done)).toEqual(
      uploads.map(({ done }) => done).toSorted((a, b) => a - b),
    );
    expect(seen.slice(uploads.length)).toEqual([
      { step: "deploying", done: 0, total: 1 },
      { step: "deploying", done: 1, total: 1 },
    ]);
  });

  it("finds a deployment, and reports its status until it is synced", async () => {
    expect(await target().find(pools)).toBeUndefined();
    const deployment = await target().deploy(request(), silent);
    expect(await target().find(pools)).toEqual({ deploymentId, queryUrl: undefined });
    expect(await target().status(pools, deployment)).toEqual({
      health: "healthy",
      synced: false,
      block: 1000,
      head: 2000,
    });
    const byName = { deploymentId: undefined, queryUrl: undefined };
    expect(await target().status(pools, byName)).toEqual({
      health: "healthy",
      synced: true,
      block: 2000,
      head: 2000,
    });
    expect(await target().status({ ...pools, version: "2" }, byName)).toBeUndefined();
  });

  it("reports the newest error that a deployment continued after", async () => {
    const told = {
      subgraph: deploymentId,
      synced: false,
      paused: true,
      health: "unhealthy",
      chains: [],
      nonFatalErrors: [{ message: "first" }, { message: "last", handler: "handleA" }],
    };
    both.node.status.fail({ kind: "text", text: JSON.stringify({ data: { indexingStatuses: [told] } }) });
    expect(await target().status(pools, { deploymentId, queryUrl: undefined })).toEqual({
      health: "unhealthy",
      synced: false,
      paused: true,
      lastError: "last",
    });
  });

  it("deploys the same build twice", async () => {
    await target().deploy(request(), silent);
    await target().deploy(request(), silent);
    expect(both.node.subgraphs.get("pools/v1-0-0")).toEqual([deploymentId, deploymentId]);
  });

  it("sets the requested start block and description", async () => {
    const asked = request({ startBlock: 9, description: "test" });
    const { deploymentId: id } = await target().deploy(asked, silent);
    expect(id).not.toBe(deploymentId);
    expect(await target().expectedId(asked)).toBe(id);
    const { description, dataSources } = deployedManifest(id) as {
      description: string;
      dataSources: { source: object }[];
    };
    expect(description).toBe("test");
    expect(dataSources.map(({ source }) => source)).toMatchObject([{ startBlock: 9 }, { startBlock: 9 }]);
  });
});

describe("a graft", () => {
  const graftFrom = { name: "pools", version: "1.0.0" };
  const next = (more: object) => request({ version: "1.1.0", graftFrom, ...more });

  it("grafts at the start block", async () => {
    await target().deploy(request(), silent);
    both.node.set(deploymentId, { block: 2000 });
    const asked = next({ startBlock: 1500 });
    const expected = await target().expectedId(asked);
    const { deploymentId: id } = await target().deploy(asked, silent);
    expect(id).toBe(expected);
    expect(deployedManifest(id)).toMatchObject({
      graft: { base: deploymentId, block: 1500 },
      features: ["ipfsOnEthereumContracts", "grafting"],
    });
  });

  it("grafts at the latest block that graph-node allows when no start block is given", async () => {
    await target().deploy(request(), silent);
    both.node.set(deploymentId, { block: 2000 });
    expect(await target().expectedId(next({}))).toBeUndefined();
    const { deploymentId: id } = await target().deploy(next({}), silent);
    expect(deployedManifest(id).graft).toEqual({ base: deploymentId, block: 1749 });
  });

  it("rejects a graft onto a base that is not deployed or has too few blocks", async () => {
    await expect(target().deploy(next({}), silent)).rejects.toThrow(
      `"pools/1.0.0" is not deployed to the graph-node at ${both.node.admin.url}; deploy it first`,
    );
    await target().deploy(request(), silent);
    both.node.set(deploymentId, { block: 250 });
    const before = both.ipfs.requests.length;
    await expect(target().deploy(next({}), silent)).rejects.toThrow(
      '"pools/1.0.0" has not indexed enough blocks to graft onto it; try again later',
    );
    expect(both.ipfs.requests).toHaveLength(before);
  });

  it("removes the graft of the manifest on request", async () => {
    const build = adjustBuild(sampleBuild(), { graft: { base: deploymentId, block: 1 } });
    await expect(target().deploy(request({}, build), silent)).rejects.toThrow("the graft base is invalid");
    expect((await target().deploy(request({ removeGraft: true }, build), silent)).deploymentId).toBe(
      deploymentId,
    );
  });
});

describe("a tag", () => {
  it("adds a tag as another name of the deployment, and moves it", async () => {
    await target().deploy(request(), silent);
    await target().tag(pools, "prod");
    const { deploymentId: next } = await target().deploy(
      request({ version: "1.1.0", description: "next" }),
      silent,
    );
    await target().tag({ ...pools, version: "1.1.0" }, "prod");
    expect(both.node.subgraphs.get("pools/prod")).toEqual([deploymentId, next]);
    expect((await target().find({ name: "pools", version: "prod" }))?.deploymentId).toBe(next);
  });

  it("rejects a tag for a version that is not deployed", async () => {
    await expect(target().tag(pools, "prod")).rejects.toThrow('"pools/1.0.0" is not deployed');
    expect(both.node.admin.requests).toEqual([]);
  });

  it("rejects a tag that has the version's name in graph-node", async () => {
    await target().deploy(request(), silent);
    await expect(target().tag(pools, "1-0-0")).rejects.toThrow(
      'The tag "1-0-0" and the version "1.0.0" have the same name in graph-node, "pools/v1-0-0"; choose a different tag',
    );
  });
});

describe("a failure before the deployment", () => {
  const deploysNothing = async (deploying: Promise<unknown>, message: string): Promise<void> => {
    await expect(deploying).rejects.toThrow(message);
    expect(both.node.calls.map(({ method }) => method)).not.toContain("subgraph_deploy");
  };

  test("deploys nothing when IPFS returns wrong hashes", async () => {
    both.ipfs.misname((cid) =>
      cid === deploymentId ? "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH" : cid,
    );
    await deploysNothing(
      target().deploy(request(), silent),
      'for "subgraph.yaml", but the hash of its content is',
    );
  });

  test("deploys nothing when IPFS loses a file", async () => {
    both.ipfs.pinsOnAdd = false;
    const victim = files[0]?.cid ?? "";
    both.ipfs.rule(({ path }) => {
      if (path === "/api/v0/pin/ls") both.ipfs.forget(victim);
      return undefined;
    });
    const deploying = target().deploy(request(), silent);
    await expect(deploying).rejects.toThrow(IpfsError);
    await deploysNothing(deploying, `did not pin ${victim}`);
  });

  test("deploys nothing when a file is larger than graph-node reads", async () => {
    const build = sampleBuild();
    const large = Buffer.concat([wasm(), new Uint8Array(25 * 1_048_576 - 7)]);
    const files = new Map([...build.files, ["Factory/Factory.wasm", large]]);
    const tooLarge = request({}, { ...build, files });
    const deploying = target().deploy(tooLarge, silent);
    await expect(deploying).rejects.toThrow(BundleError);
    await deploysNothing(
      deploying,
      '"Factory/Factory.wasm" has 26,214,401 bytes, but graph-node reads at most 26,214,400 bytes of a file',
    );
    await expect(target().check(tooLarge)).rejects.toThrow(BundleError);
    await expect(target().check(request())).resolves.toBeUndefined();
    expect(both.ipfs.requests).toEqual([]);
  });

  test("deploys nothing when graph-node does not index the network", async () => {
    const build = sampleBuild((text) => text.replaceAll("network: mainnet", "network: base"));
    await expect(target().deploy(request({}, build), silent)).rejects.toThrow(
      "network not supported by registrar: base",
    );
    expect(both.node.deployments.size).toBe(0);
  });
});

test("the target needs no address of the status interface, but a valid admin address", () => {
  const addresses = { adminUrl: "http://127.0.0.1:8020", ipfsUrl: both.ipfs.url };
  expect(createGraphNodeTarget(addresses, world).label).toBe("graph-node at http://127.0.0.1:8020");
  expect(() => createGraphNodeTarget({ ...addresses, adminUrl: "x" }, world)).toThrow(
    "The admin address of graph-node is not",
  );
});
