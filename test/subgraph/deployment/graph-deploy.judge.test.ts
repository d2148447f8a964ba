import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { build, createNodeHost } from "../../../src/exports/index.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { unlinkBuild } from "../../../src/subgraph/deployment/unlink-build.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { asc } from "../../support/compiler/asc.js";
import { judgedBuild } from "../../support/judge/judge.js";
import { type GraphNodeDouble, startGraphNodeDouble } from "../../support/network/graph-node-double.js";
import { type IpfsDouble, startIpfsDouble } from "../../support/network/ipfs-double.js";
import { graphDeploy } from "./graph-deploy.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
let ipfs: IpfsDouble;
let node: GraphNodeDouble;
beforeAll(async () => {
  ipfs = await startIpfsDouble();
  node = await startGraphNodeDouble(ipfs);
});
afterAll(async () => {
  await Promise.all([ipfs.stop(), node.stop()]);
});

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

async function createSubgraph(name: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subgraph_create", params: { name } });
  await fetch(node.admin.url, { method: "POST", headers: { "content-type": "application/json" }, body });
}

/** The first has templates. The second is deployed only with GRAPHLOOM_JUDGE=full. */
const deployed = ["uniswap-v3", ...(judgedBuild === "full" ? ["nouns"] : [])];

describe.each(deployed)("example %s", (example) => {
  test("gets the same deployment id and files as with graph deploy", async () => {
    const config = join(root, "examples", example, "subgraph.json");
    const { files } = await build(config, createNodeHost({ cwd: root }), { asc, optimize: "full" });
    const name = `test/${example}`;
    await createSubgraph(name);
    const before = ipfs.added.length;
    const {
      code,
      output,
      build: theirs,
    } = await graphDeploy(files, {
      manifest: "subgraph.yaml",
      name,
      node: node.admin.url,
      ipfs: ipfs.url,
    });
    expect(output).toContain(`Deployed to http://127.0.0.1:8000/subgraphs/name/${name}`);
    expect(code).toBe(0);
    const added = ipfs.added.slice(before);
    const ours = collectBuild({ manifest: "build/subgraph.yaml", files });
    const { deploymentId, manifest, files: linked } = linkBuild(ours);

    expect(node.subgraphs.get(name)).toEqual([deploymentId]);
    expect(decode(added.at(-1)?.bytes as Uint8Array)).toBe(decode(manifest));
    const cids = new Map(linked.map(({ path, cid }) => [path, cid]));
    for (const { filename, cid } of added.slice(0, -1))
      expect([filename, cid]).toEqual([filename, cids.get(filename)]);
    // graph-cli uploads identical files only once.
    expect(new Set(added.map(({ cid }) => cid))).toEqual(new Set([...cids.values(), deploymentId]));

    const unpacked = new Map(Object.entries(unzipSync(zipBuild(ours))));
    expect([...unpacked.keys()].map((path) => `build/${path}`).sort()).toEqual([...theirs.keys()].sort());
    for (const [path, bytes] of unpacked) {
      const own = theirs.get(`build/${path}`) as Uint8Array;
      // Both hold the same data, but graph-cli breaks long lines.
      if (path === "subgraph.yaml") expect(parse(decode(bytes))).toEqual(parse(decode(own)));
      else expect(Buffer.compare(bytes, own)).toBe(0);
    }
    expect(linkBuild(collectBuild({ manifest: "build/subgraph.yaml", files: theirs })).deploymentId).toBe(
      deploymentId,
    );

    const fetched = await unlinkBuild(manifest, async (cid) => ipfs.held.get(cid) as Uint8Array);
    expect([...fetched.files.keys()].sort()).toEqual([...ours.files.keys()].sort());
    expect(linkBuild(fetched).deploymentId).toBe(deploymentId);
  });
});
