import { describe, expect, it, test } from "vitest";
import { networkOf } from "../../src/subgraph/build.js";
import { BundleError } from "../../src/subgraph/bundle-error.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { sampleBuild, sampleFiles, sampleManifest, wasm } from "./sample-build.js";

describe("a collected build", () => {
  it("holds the manifest and the files that it refers to, and nothing else", () => {
    const { files, manifest } = sampleBuild();
    expect([...files.keys()].sort()).toEqual([
      "Factory/ERC20.json",
      "Factory/Factory.json",
      "Factory/Factory.wasm",
      "Pool/Pool.json",
      "Token/ERC20.json",
      "schema.graphql",
      "subgraph.yaml",
      "templates/Pool/Pool.wasm",
    ]);
    expect(files.get("subgraph.yaml")).toEqual(new TextEncoder().encode(sampleManifest));
    expect(files.get("templates/Pool/Pool.wasm")).toEqual(wasm(2));
    expect(manifest.dataSources.map(({ name }) => name)).toEqual(["Factory", "Token"]);
    expect(Object.isFrozen(manifest.dataSources[0]?.source)).toBe(true);
  });

  it("is found in the current folder, and under a different name", () => {
    const files = new Map(
      [...sampleFiles("x")].map(([path, content]) => [path.replace(/^x\//, ""), content]),
    );
    files.set("subgraph.yaml", sampleManifest);
    expect(collectBuild({ manifest: "subgraph.yaml", files }).files.size).toBe(8);
    files.set("other.yaml", sampleManifest);
    expect(collectBuild({ manifest: "other.yaml", files })).toEqual(sampleBuild());
  });

  it("includes a file under a key outside of mappings", () => {
    const files = sampleFiles();
    files.set("build/mainnet/p.spkg", "p");
    files.set(
      "build/mainnet/subgraph.yaml",
      sampleManifest.replace("      abi: ERC20\n", "      abi: ERC20\n      package: { file: p.spkg }\n"),
    );
    const build = collectBuild({ manifest: "build/mainnet/subgraph.yaml", files });
    expect(build.files.get("p.spkg")).toEqual(new TextEncoder().encode("p"));
  });

  it("must have one network", () => {
    expect(networkOf(sampleBuild())).toBe("mainnet");
    const two = sampleBuild((text) =>
      text.replace("name: Pool\n    network: mainnet", "name: Pool\n    network: base"),
    );
    expect(() => networkOf(two)).toThrow(
      'The manifest has sources on "mainnet" and "base"; all sources of a subgraph must be on one network',
    );
    const none = sampleBuild((text) => text.replaceAll("    network: mainnet\n", ""));
    expect(() => networkOf(none)).toThrow('The data sources in the manifest have no "network"');
  });
});

describe("an incomplete build", () => {
  const variant = (change: (files: Map<string, string | Uint8Array>) => void): (() => unknown) => {
    const files = sampleFiles();
    change(files);
    return () => collectBuild({ manifest: "build/mainnet/subgraph.yaml", files });
  };
  const manifest = (from: string, to: string) => (files: Map<string, string | Uint8Array>) => {
    expect(sampleManifest).toContain(from);
    files.set("build/mainnet/subgraph.yaml", sampleManifest.replace(from, to));
  };
  const text = (content: string | Uint8Array) => (files: Map<string, string | Uint8Array>) =>
    files.set("build/mainnet/subgraph.yaml", content);
  const place = "(dataSources[1].mapping.abis[0].file)";

  test.each<[string, (files: Map<string, string | Uint8Array>) => unknown, string]>([
    [
      "a folder without a manifest",
      (files) => files.delete("build/mainnet/subgraph.yaml"),
      '"build/mainnet/subgraph.yaml" does not exist; build the subgraph first',
    ],
    [
      "a file that is not YAML",
      text("a: [b"),
      '"build/mainnet/subgraph.yaml" is not YAML: Flow sequence in block collection must be',
    ],
    [
      "a text with escapes",
      text('a: "\u001b[31m'),
      '"build/mainnet/subgraph.yaml" is not YAML: Missing closing "quote at line 1',
    ],
    [
      "a text with too many aliases",
      text(
        `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${"*a,".repeat(50)}]\nc: &c [${"*b,".repeat(50)}]\nd: [${"*c,".repeat(50)}]`,
      ),
      '"build/mainnet/subgraph.yaml" is not YAML: Excessive alias count indicates a resource exhaustion attack',
    ],
    [
      "a text that is nested deeply",
      text(`specVersion: 1\na: ${"[".repeat(100_000)}`),
      '"build/mainnet/subgraph.yaml" cannot be read: it is nested too deeply',
    ],
    [
      "an empty file",
      text(""),
      '"build/mainnet/subgraph.yaml" is not the manifest of a subgraph: it is not a map',
    ],
    [
      "a list",
      text("- a"),
      '"build/mainnet/subgraph.yaml" is not the manifest of a subgraph: it is not a map',
    ],
    [
      "a different kind of YAML file",
      text("a: b"),
      '"build/mainnet/subgraph.yaml" is not the manifest of a subgraph: it has no "specVersion"',
    ],
    ["a manifest without schema", text("specVersion: 1"), 'it has no "schema" with a "file"'],
    ["a manifest without sources", text("specVersion: 1\nschema: {file: a}"), 'it has no "dataSources"'],
    [
      "a manifest with an empty list of sources",
      text("specVersion: 1\nschema: {file: a}\ndataSources: []"),
      'it has no "dataSources"',
    ],
    [
      "a manifest with invalid templates",
      text("specVersion: 1\nschema: {file: a}\ndataSources: [{name: a, mapping: {}}]\ntemplates: a"),
      'its "templates" are not a list',
    ],
    [
      "a manifest with a source without a mapping",
      text("specVersion: 1\nschema: {file: a}\ndataSources: [{name: a}]"),
      'a data source or template has no "name" or no "mapping"',
    ],
    [
      "one that lacks a file",
      (files) => files.delete("build/mainnet/Token/ERC20.json"),
      `"build/mainnet/subgraph.yaml" refers to "Token/ERC20.json", which does not exist ${place}`,
    ],
    [
      "one that leads out",
      manifest("Token/ERC20.json", "../base/subgraph.yaml"),
      `refers to "../base/subgraph.yaml", which is outside the manifest's folder; move it inside ${place}`,
    ],
    [
      "one that leads out by a detour",
      manifest("Token/ERC20.json", "Token/../../base/subgraph.yaml"),
      "which is outside the manifest's folder",
    ],
    [
      "one that leads to the root",
      manifest("Token/ERC20.json", "/etc/passwd"),
      `refers to "/etc/passwd", which is outside the manifest's folder`,
    ],
    [
      "one that refers to its own name",
      manifest("Token/ERC20.json", "./subgraph.yaml"),
      'refers to "./subgraph.yaml", which is the manifest\'s name',
    ],
    [
      "one with backslashes",
      manifest("Token/ERC20.json", "Token\\ERC20.json"),
      String.raw`refers to "Token\\ERC20.json"; separate folders with "/"`,
    ],
    [
      "a project",
      manifest("Factory/Factory.wasm", "./src/mapping.ts"),
      '"build/mainnet/subgraph.yaml" refers to the source "./src/mapping.ts": it is the manifest of a project, not of a build; build the project first and use the manifest in its build folder, usually "build/subgraph.yaml" (dataSources[0].mapping.file)',
    ],
    [
      "a deployment",
      manifest("./schema.graphql", '{"/": /ipfs/QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH}'),
      '"build/mainnet/subgraph.yaml" refers to IPFS ("/ipfs/QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"): it is the manifest of a deployment, not of a build; deploy it by its IPFS hash (schema.file)',
    ],
    [
      "a deployment with plain links",
      manifest("./schema.graphql", "ipfs://QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"),
      "it is the manifest of a deployment",
    ],
    ["one whose link is a number", manifest("./schema.graphql", "1"), "does not name a file (schema.file)"],
    ["one whose link is nothing", manifest("./schema.graphql", '""'), "does not name a file (schema.file)"],
    [
      "one whose mapping is not WASM",
      (files) => files.set("build/mainnet/Factory/Factory.wasm", "(module)"),
      'refers to "Factory/Factory.wasm", which is not WASM; build the subgraph again (dataSources[0].mapping.file)',
    ],
    [
      "one with an empty mapping",
      (files) => files.set("build/mainnet/templates/Pool/Pool.wasm", ""),
      "which is not WASM",
    ],
    [
      "one with a name to fool a terminal",
      manifest("Token/ERC20.json", '"\\e[31m\\u202e"'),
      String.raw`refers to "\u001b[31m\u202e", which does not exist`,
    ],
  ])("is refused: %s", (_, change, message) => {
    const read = variant(change as (files: Map<string, string | Uint8Array>) => void);
    expect(read).toThrow(BundleError);
    expect(read).toThrow(message);
  });
});
