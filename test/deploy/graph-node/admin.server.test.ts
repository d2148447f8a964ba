import { describe, expect, it, test } from "vitest";
import { createGraphNodeAdmin } from "../../../src/deploy/graph-node/admin.js";
import { GraphNodeError } from "../../../src/deploy/graph-node/graph-node-error.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { HttpError } from "../../../src/web/http/http-error.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import type { DoubleFault } from "../../support/network/double-server.js";
import { servers, world } from "./harness.js";

const both = servers();
const { deploymentId, manifest, files } = linkBuild(sampleBuild());
const admin = () => createGraphNodeAdmin(both.node.admin.url, world);

async function putAll(): Promise<void> {
  for (const { bytes } of files) await both.ipfs.put(bytes);
  await both.ipfs.put(manifest);
}

const rpcError = (code: number, message: string): DoubleFault => ({
  kind: "text",
  text: JSON.stringify({ jsonrpc: "2.0", id: "1", error: { code, message } }),
});

describe("a name", () => {
  it("creates a name twice without an error", async () => {
    const { create } = admin();
    await create("pools/v1-0-0");
    await create("pools/v1-0-0");
    expect([...both.node.subgraphs.keys()]).toEqual(["pools/v1-0-0"]);
  });

  it("retries to create a name when graph-node is busy", async () => {
    both.node.admin.fail({ kind: "status", status: 503 }, { kind: "cut" });
    await admin().create("pools");
    expect(both.node.admin.requests).toHaveLength(3);
  });

  it.each([
    "pools/1.0.0",
    "pools/1-0-0",
    "1/v2",
  ])("reports a name that graph-node rejects: %s", async (name) => {
    const creating = admin().create(name);
    await expect(creating).rejects.toThrow(GraphNodeError);
    await expect(creating).rejects.toMatchObject({
      code: -32602,
      message: `graph-node at ${both.node.admin.url} refused subgraph_create: Invalid params: invalid value: string "${name}", expected valid subgraph name; use a name of letters, digits, '-' and '_', with a letter in every part`,
    });
  });
});

describe("a deployment", () => {
  it("deploys, and returns a query address at the host of the admin interface", async () => {
    await putAll();
    const { create, deploy } = admin();
    await create("pools/v1-0-0");
    expect(await deploy("pools/v1-0-0", deploymentId)).toBe(
      "http://127.0.0.1:8000/subgraphs/name/pools/v1-0-0",
    );
    expect(both.node.calls).toEqual([
      { method: "subgraph_create", params: { name: "pools/v1-0-0" } },
      { method: "subgraph_deploy", params: { name: "pools/v1-0-0", ipfs_hash: deploymentId } },
    ]);
    const bodies = both.node.admin.requests.map(({ body }) => JSON.parse(body.toString()));
    expect(bodies.map(({ jsonrpc, id }) => [jsonrpc, id])).toEqual([
      ["2.0", "1"],
      ["2.0", "2"],
    ]);
  });

  test.each([
    [{ queries: "https://query.example.com/a" }, "https://query.example.com/a"],
    [{ queries: "" }, undefined],
    [{ queries: 1 }, undefined],
    [{}, undefined],
    [null, undefined],
  ])("reads the query address from the answer %j: %s", async (result, expected) => {
    both.node.admin.fail({ kind: "text", text: JSON.stringify({ jsonrpc: "2.0", id: "1", result }) });
    expect(await admin().deploy("pools", deploymentId)).toBe(expected);
  });

  it("does not retry a deployment", async () => {
    for (const fault of [{ kind: "status", status: 503 }, { kind: "cut" }] as const) {
      const before = both.node.admin.requests.length;
      both.node.admin.fail(fault);
      await expect(admin().deploy("pools", deploymentId)).rejects.toThrow();
      expect(both.node.admin.requests).toHaveLength(before + 1);
    }
  });

  it("reports a name that does not exist", async () => {
    await putAll();
    await expect(admin().deploy("pools", deploymentId)).rejects.toThrow(
      "refused subgraph_deploy: subgraph name not found: pools; the name was removed meanwhile; deploy again",
    );
  });

  it("reports a file that is missing on IPFS", async () => {
    await putAll();
    both.ipfs.forget(files[2]?.cid ?? "");
    await admin().create("pools");
    await expect(admin().deploy("pools", deploymentId)).rejects.toThrow(
      `subgraph resolve error: resolve error: IPFS timeout: ${files[2]?.cid}; graph-node could not download the files; check that it uses the IPFS node that you passed`,
    );
  });

  test.each([
    [
      0,
      "network not supported by registrar: base",
      "graph-node has no node for that network; start it with one (--ethereum-rpc), under the network name in the manifest",
    ],
    [
      0,
      "subgraph validation error: [the graft base is invalid: x]",
      "wait until the base is deployed and has indexed that block, or choose an earlier block or a different base",
    ],
    [0, "subgraph validation error: [a; b]", "correct the manifest or the schema, and build again"],
    [-32603, "internal error", "see the log of graph-node for details"],
  ])("adds a hint when graph-node refuses with code %d, %j", async (code, message, help) => {
    both.node.admin.fail(rpcError(code, message));
    await expect(admin().deploy("pools", deploymentId)).rejects.toMatchObject({
      name: "GraphNodeError",
      code,
      message: `graph-node at ${both.node.admin.url} refused subgraph_deploy: ${message}; ${help}`,
    });
  });

  test.each<[string, DoubleFault, string]>([
    ["another message", rpcError(7, "so not\u001b[2J"), String.raw`refused subgraph_deploy: so not\u001b[2J`],
    ["no message", { kind: "text", text: '{"error":{}}' }, "refused subgraph_deploy: code unknown"],
    [
      "an answer that is not JSON",
      { kind: "text", text: "<html>" },
      "did not answer as the admin interface of graph-node does (status 200): <html>; check the address (usually port 8020)",
    ],
    ["another JSON document", { kind: "text", text: "[]" }, "did not answer as the admin interface"],
    ["an error status", { kind: "status", status: 404, text: "no" }, "does (status 404): no;"],
    [
      "an error status and a result",
      { kind: "status", status: 500, text: '{"result":1}' },
      "does (status 500)",
    ],
  ])("fails with %s", async (_, fault, message) => {
    both.node.admin.fail(fault);
    const deploying = admin().deploy("pools", deploymentId);
    await expect(deploying).rejects.toThrow(GraphNodeError);
    await expect(deploying).rejects.toThrow(message);
  });

  it("reports that a deployment may have happened when the connection was cut", async () => {
    both.node.admin.fail({ kind: "cut" });
    const failure = await admin()
      .deploy("pools", deploymentId)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(HttpError);
    expect(failure).toMatchObject({ mayHaveHappened: true });
  });
});

it("the client rejects an address that is not a URL", () => {
  expect(() => createGraphNodeAdmin("localhost:8020", world)).toThrow(
    'The admin address of graph-node is not a URL that starts with "http://" or "https://"',
  );
});

it("the client sends the user and password of the address, and never prints them", async () => {
  const url = both.node.admin.url.replace("//", "//someone:secret@");
  const failure = await createGraphNodeAdmin(url, world).deploy("pools", deploymentId).catch(String);
  expect(both.node.admin.requests[0]?.headers.authorization).toBe(`Basic ${btoa("someone:secret")}`);
  expect(failure).toMatch(/subgraph resolve error/);
  expect(failure).not.toMatch(/secret|someone/);
});
