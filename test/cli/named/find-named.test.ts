import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { findNamed, type Named } from "../../../src/cli/named/find-named.js";
import { UsageError } from "../../../src/cli/terminal/usage/usage-error.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

const hash = "QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG";

/** A manifest whose mapping is in a file. @param file as in YAML */
function manifest(file: string): string {
  return `specVersion: 1.3.0
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    network: mainnet
    source: { abi: Token, address: "0x00000000000000000000000000000000000000a1" }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Token]
      abis: [{ name: Token, file: ./Token.json }]
      file: ${file}
`;
}

const config = '{ "version": "1", "abis": {}, "instances": [] }';
const files = {
  "c.json": config,
  "named.txt": config,
  "pools/subgraph.json": config,
  "ens/subgraph.yaml": manifest("./src/mapping.ts"),
  "ens/subgraph.sepolia.yaml": manifest("./src/mapping.ts"),
  "ens/build/subgraph.yaml": manifest("Token/Token.wasm"),
  "built/subgraph.yaml": manifest("Token/Token.wasm"),
  "compiled/build/mainnet/subgraph.yaml": manifest("Token/Token.wasm"),
  "compiled/build/base/subgraph.yaml": manifest("Token/Token.wasm"),
  "chains/mainnet/subgraph.yaml": manifest("Token/Token.wasm"),
  "both/subgraph.json": config,
  "both/subgraph.yaml": manifest("./src/mapping.ts"),
  "linked/subgraph.yaml": manifest(`{ "/": "/ipfs/${hash}" }`),
  "broken/subgraph.yaml": "dataSources:\n  - [",
  "template/package.json": "{}",
  "template/subgraph.template.yaml": manifest("./src/mapping.ts"),
  "many/first/subgraph.yaml": manifest("./src/mapping.ts"),
  "many/second/subgraph.yaml": manifest("./src/mapping.ts"),
  "empty/notes.txt": "",
  "empty.zip": new Uint8Array(),
  "text.zip": config,
  [`${hash}/subgraph.json`]: config,
};

async function find(word: string, more: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Named> {
  return findNamed(word, memoryHost({ ...files, ...more }));
}

describe("a word that names a subgraph", () => {
  it.each<[string, Named]>([
    ["-", { kind: "configuration", path: "-" }],
    ["c.json", { kind: "configuration", path: "c.json" }],
    ["named.txt", { kind: "configuration", path: "named.txt" }],
    ["pools", { kind: "configuration", path: "pools/subgraph.json" }],
    ["pools/", { kind: "configuration", path: "pools/subgraph.json" }],
    ["pools/missing.json", { kind: "configuration", path: "pools/missing.json" }],
    ["missing.json", { kind: "configuration", path: "missing.json" }],
    ["ens", { kind: "project", path: "ens/subgraph.yaml" }],
    ["./ens", { kind: "project", path: "ens/subgraph.yaml" }],
    ["ens/subgraph.sepolia.yaml", { kind: "project", path: "ens/subgraph.sepolia.yaml" }],
    ["broken", { kind: "project", path: "broken/subgraph.yaml" }],
    ["template", { kind: "project", path: "template/subgraph.yaml" }],
    ["ens/build", { kind: "build", path: "ens/build/subgraph.yaml" }],
    ["ens/build/subgraph.yaml", { kind: "build", path: "ens/build/subgraph.yaml" }],
    ["built", { kind: "build", path: "built/subgraph.yaml" }],
    ["compiled", { kind: "build", path: "compiled" }],
    ["compiled/build", { kind: "build", path: "compiled/build" }],
    ["compiled/build/base", { kind: "build", path: "compiled/build/base/subgraph.yaml" }],
    ["chains", { kind: "build", path: "chains" }],
    [hash.replace("Y", "Z"), { kind: "deployment", hash: hash.replace("Y", "Z") }],
    [`ipfs://${hash}`, { kind: "deployment", hash }],
    [`/ipfs/${hash}`, { kind: "deployment", hash }],
    ["pools/1.0.0", { kind: "version", name: "pools", version: "1.0.0" }],
    ["https://example.com/pools/gn", { kind: "endpoint", url: "https://example.com/pools/gn" }],
  ])("is understood: %s", async (word, named) => {
    expect(await find(word)).toEqual(named);
  });

  it("is the folder of this name rather than a deployment or a version", async () => {
    expect(await find(hash)).toEqual({ kind: "configuration", path: `${hash}/subgraph.json` });
    const own = { "pools/1.0.0/subgraph.yaml": manifest("./src/mapping.ts") };
    expect(await find("pools/1.0.0", own)).toEqual({ kind: "project", path: "pools/1.0.0/subgraph.yaml" });
  });

  it("is recognized as a zip by its content, not by its name", async () => {
    const zip = zipSync({ "subgraph.yaml": new Uint8Array(1) });
    expect(await find("a.bin", { "a.bin": zip })).toEqual({ kind: "zip", path: "a.bin" });
  });

  it("is not a manifest if a setting below the top level has that name", async () => {
    const text = '{ "version": "1", "abis": {}, "instances": [{ "enrich": { "dataSources": [] } }] }';
    expect(await find("odd.json", { "odd.json": text })).toEqual({ kind: "configuration", path: "odd.json" });
    const json = '{\n  "specVersion": "1.0.0",\n  "dataSources": []\n}';
    expect(await find("m.json", { "m.json": json })).toEqual({ kind: "project", path: "m.json" });
  });

  const forms = "Name a configuration, a subgraph.yaml or its folder";
  it.each([
    [
      "pools-typo",
      'There is no file or folder "pools-typo". A subgraph on a server needs a version: pools-typo/<version>.',
      forms,
    ],
    ["no such!", 'There is no file or folder "no such!".', forms],
    [
      "empty",
      '"empty" is a folder without a subgraph: it has neither subgraph.json nor subgraph.yaml',
      forms,
    ],
    [
      "many",
      '"many" is a folder without a subgraph',
      'such as "many/first/subgraph.yaml", "many/second/subgraph.yaml"',
    ],
    ["both", '"both" has "subgraph.json" and "subgraph.yaml". Name one of them.', ""],
    ["empty.zip", '"empty.zip" is an empty file, not the zip of a build.', forms],
    ["text.zip", '"text.zip" is a file of another kind, not the zip of a build.', forms],
    [
      "linked",
      '"linked/subgraph.yaml" is the manifest of a deployment, whose files are on IPFS.',
      "by its id, Qm…",
    ],
  ])("is refused with an explanation and with words that would work: %s", async (word, found, advice) => {
    const refusal = await find(word).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(UsageError);
    expect((refusal as UsageError).message).toContain(found);
    expect((refusal as UsageError).message).toContain(advice);
  });

  it("is refused if it is a zip beyond the limit, before its content is read", async () => {
    const host = memoryHost(files);
    const huge = { ...host, readFile: async () => ({ kind: "too-large", size: 60_000_000 }) as const };
    await expect(findNamed("huge.zip", huge)).rejects.toThrow('"huge.zip" is larger than 50 MB');
  });
});
