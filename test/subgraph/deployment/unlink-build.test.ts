import { dump } from "js-yaml";
import { describe, expect, it, test } from "vitest";
import { adjustBuild } from "../../../src/subgraph/adjust-build.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { unlinkBuild } from "../../../src/subgraph/deployment/unlink-build.js";
import { unzipBundle } from "../../../src/subgraph/unzip-bundle.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { cidV0 } from "../../../src/web/ipfs/cid.js";
import { sampleBuild } from "../sample-build.js";
import {
  abiCid,
  deployed,
  encode,
  fetchFrom,
  schemaCid,
  source,
  stored,
  wasmCids,
} from "./deployed-manifest.js";

describe("a deployment that is turned back into a build", () => {
  it("is laid out as it was built, and has the same id", async () => {
    const build = sampleBuild();
    const linked = linkBuild(build);
    const back = await fetchFrom(
      new Map(linked.files.map(({ cid, bytes }) => [cid, bytes])),
      linked.manifest,
    );
    expect([...back.files.keys()].sort()).toEqual([...build.files.keys()].sort());
    for (const { path, bytes } of linked.files) expect(back.files.get(path)).toEqual(bytes);
    expect(linkBuild(back).deploymentId).toBe(linked.deploymentId);
  });

  it("asks for every file once", async () => {
    const asked: string[] = [];
    await unlinkBuild(deployed({ dataSources: [source("A"), source("B")] }), async (cid) => {
      asked.push(cid);
      return stored.get(cid) as Uint8Array;
    });
    expect(asked.sort()).toEqual([schemaCid, abiCid, wasmCids[0]].sort());
  });

  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ["plain ones", ["A"], ["T"], ["A/A.wasm", "A/Abi.json", "T/Abi.json", "templates/T/T.wasm"]],
    ["the same for two sources", ["A", "A"], [], ["A/A.wasm", "A/Abi.json", "A-2/A-2.wasm", "A-2/Abi.json"]],
    [
      "a source and a template of one name",
      ["A"],
      ["A"],
      ["A/A.wasm", "A/Abi.json", "A-2/Abi.json", "templates/A-2/A-2.wasm"],
    ],
    [
      "names that differ in their case",
      ["a", "A"],
      [],
      ["a/a.wasm", "a/Abi.json", "A-2/A-2.wasm", "A-2/Abi.json"],
    ],
    [
      "paths that lead out",
      ["../../etc"],
      ["/root"],
      ["_etc/_etc.wasm", "_etc/Abi.json", "_root/Abi.json", "templates/_root/_root.wasm"],
    ],
    [
      "nothing",
      [""],
      ["."],
      ["unnamed/unnamed.wasm", "unnamed/Abi.json", "_/Abi.json", "templates/_/_.wasm"],
    ],
    [
      "names of ours",
      ["subgraph.yaml", "templates"],
      [],
      [
        "subgraph_yaml/subgraph_yaml.wasm",
        "subgraph_yaml/Abi.json",
        "templates-2/templates-2.wasm",
        "templates-2/Abi.json",
      ],
    ],
    ["devices", ["NUL"], [], ["NUL_/NUL_.wasm", "NUL_/Abi.json"]],
    ["control characters of a terminal", ["\u001b[2J\u202e"], [], ["_2J_/_2J_.wasm", "_2J_/Abi.json"]],
  ])("gets safe paths from %s", async (_, sources, templates, paths) => {
    const manifest = deployed({
      dataSources: sources.map((name, index) => source(name, wasmCids[index])),
      templates: templates.map((name) => source(name, wasmCids[2])),
    });
    const build = await fetchFrom(stored, manifest);
    expect([...build.files.keys()].sort()).toEqual([...paths, "schema.graphql", "subgraph.yaml"].sort());
    expect(build.manifest.dataSources.map(({ name }) => name)).toEqual(sources);
    expect(linkBuild(build).deploymentId).toBe(cidV0(manifest));
  });

  it("gets safe paths from ABIs of any name, and one file for a shared mapping", async () => {
    const long = "x".repeat(300);
    const manifest = deployed({
      dataSources: [source("A", wasmCids[0], ["Abi", "abi", "../Abi", "", long]), source("B", wasmCids[0])],
      templates: [source("T", wasmCids[0], [])],
    });
    expect([...(await fetchFrom(stored, manifest)).files.keys()].sort()).toEqual(
      [
        "subgraph.yaml",
        "schema.graphql",
        "A/A.wasm",
        "A/Abi.json",
        "A/abi-2.json",
        "A/_Abi.json",
        "A/unnamed.json",
        `A/${"x".repeat(100)}.json`,
        "B/Abi.json",
      ].sort(),
    );
  });

  test.each<[string, unknown]>([
    ["bare", schemaCid],
    ["ipfs:", `ipfs://${schemaCid}`],
    ["a path", `/ipfs/${schemaCid}`],
    ["bare in a map", { "/": schemaCid }],
  ])("may link in other ways: %s", async (_, file) => {
    const manifest = encode(dump({ specVersion: "1.2.0", schema: { file }, dataSources: [source("A")] }));
    expect((await fetchFrom(stored, manifest)).files.get("schema.graphql")).toEqual(encode("schema"));
  });

  test.each<[string, unknown, string]>([
    [
      "a path of files",
      "./schema.graphql",
      'refers to "./schema.graphql" (schema.file), but a deployment\'s files must be IPFS hashes like "/ipfs/Qm…"',
    ],
    ["a path below a hash", { "/": `/ipfs/${schemaCid}/x` }, "must be IPFS hashes"],
    ["an address", { "/": "http://localhost/" }, 'refers to "http://localhost/"'],
    ["a map without a link", { a: 1 }, 'refers to "{\\"a\\":1}"'],
    ["nothing", null, 'refers to "null"'],
    ["escapes", "\u001b[2J", String.raw`refers to "\u001b[2J"`],
  ])("is refused when it links to %s", async (_, file, message) => {
    const manifest = encode(dump({ specVersion: "1.2.0", schema: { file }, dataSources: [source("A")] }));
    await expect(fetchFrom(stored, manifest)).rejects.toThrow(BundleError);
    await expect(fetchFrom(stored, manifest)).rejects.toThrow(message);
  });

  it("is refused when it is not a manifest, or a mapping is not WASM", async () => {
    await expect(fetchFrom(stored, encode("<html>"))).rejects.toThrow(
      '"the manifest on IPFS" is not the manifest of a subgraph: it is not a map',
    );
    const manifest = deployed({ dataSources: [source("A", abiCid)] });
    await expect(fetchFrom(stored, manifest)).rejects.toThrow("which is not WASM");
  });

  it("fails with the error of the fetch", async () => {
    const manifest = deployed({ dataSources: [source("A", cidV0(encode("lost")))] });
    await expect(fetchFrom(stored, manifest)).rejects.toThrow(`nothing at ${cidV0(encode("lost"))}`);
  });
});

describe("a manifest that another program has printed", () => {
  const printed = encode(
    `# by another program\n${new TextDecoder().decode(deployed({ dataSources: [source("A")] }))}`,
  );
  const path = "subgraph.linked.yaml";

  it("gives its hash as the id, also after the build was packed", async () => {
    const back = await fetchFrom(stored, printed);
    expect(linkBuild(back)).toMatchObject({ deploymentId: cidV0(printed), manifest: printed });
    const unpacked = await unzipBundle(zipBuild(back));
    const again = collectBuild({ manifest: "subgraph.yaml", files: unpacked });
    expect(linkBuild(again).deploymentId).toBe(cidV0(printed));
  });

  it("is not kept if it equals ours", async () => {
    const back = await fetchFrom(stored, deployed({ dataSources: [source("A")] }));
    expect([...back.files.keys()]).not.toContain(path);
  });

  it.each([
    ["says something else", deployed({ dataSources: [source("B")] })],
    ["links to another file", deployed({ dataSources: [source("A", wasmCids[1])] })],
    ["is no manifest", encode("a: b")],
    ["is no YAML", encode("a: [b")],
  ])("gives no id to a build with it that %s", async (_, other) => {
    const own = await fetchFrom(stored, printed);
    const build = { ...own, files: new Map([...own.files, [path, other]]) };
    const without = { ...own, files: new Map([...own.files].filter(([each]) => each !== path)) };
    expect(linkBuild(build).deploymentId).toBe(linkBuild(without).deploymentId);
  });

  it("gives no id to a build that was adjusted since", async () => {
    const build = adjustBuild(await fetchFrom(stored, printed), { startBlock: 7 });
    expect(linkBuild(build).deploymentId).not.toBe(cidV0(printed));
  });
});
