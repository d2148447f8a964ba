import { dump, load } from "js-yaml";
import { describe, expect, it } from "vitest";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { importedCid } from "../../support/network/ipfs-importer.js";
import { sampleBuild, wasm } from "../sample-build.js";

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe("a linked build", () => {
  it("has the hashes that IPFS computes for its files", async () => {
    const build = sampleBuild();
    const { deploymentId, manifest, files } = linkBuild(build);
    expect(deploymentId).toBe(await importedCid(manifest));
    expect(files.map(({ path }) => path)).toEqual(
      [...build.files.keys()].filter((path) => path !== "subgraph.yaml").sort(),
    );
    for (const { path, cid, bytes } of files) {
      expect(bytes).toBe(build.files.get(path));
      expect(cid).toBe(await importedCid(bytes));
    }
  });

  it("has a manifest with links, sorted keys and nothing else changed", async () => {
    const build = sampleBuild();
    const text = decode(linkBuild(build).manifest);
    const module = `/ipfs/${await importedCid(wasm(1))}`;
    expect(text.split("\n").slice(0, 26)).toEqual([
      "dataSources:",
      "  - context:",
      "      file:",
      "        data: not-a-file",
      "        type: String",
      "    kind: ethereum",
      "    mapping:",
      "      abis:",
      "        - file:",
      `            /: /ipfs/${await importedCid(build.files.get("Factory/Factory.json") as Uint8Array)}`,
      "          name: Factory",
      "        - file:",
      `            /: /ipfs/${await importedCid(build.files.get("Factory/ERC20.json") as Uint8Array)}`,
      "          name: ERC20",
      "      apiVersion: 0.0.9",
      "      entities:",
      "        - Pool",
      "      eventHandlers:",
      "        - event: >-",
      "            PoolCreated(indexed address,indexed address,indexed",
      "            uint24,int24,address)",
      "          handler: handlePoolCreated",
      "      file:",
      `        /: ${module}`,
      "      kind: ethereum/events",
      "      language: wasm/assemblyscript",
    ]);
    const linked = load(text) as typeof build.manifest;
    expect(linked.dataSources[1]?.mapping).toMatchObject({ file: { "/": module } });
    expect(dump(linked, { sortKeys: true })).toBe(text);
  });

  it("depends on the content of the manifest, not on its layout", () => {
    const { deploymentId } = linkBuild(sampleBuild());
    const rewritten = sampleBuild((text) =>
      text.replace("# made by hand\n", "").replace("./schema.graphql # what there is", '"schema.graphql"'),
    );
    expect(linkBuild(rewritten).deploymentId).toBe(deploymentId);
    const other = sampleBuild((text) => text.replace("startBlock: 12369621", "startBlock: 12369622"));
    expect(linkBuild(other).deploymentId).not.toBe(deploymentId);
  });
});
