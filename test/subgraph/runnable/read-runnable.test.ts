import { id } from "ethers";
import { describe, expect, test } from "vitest";
import { Abi } from "../../../src/subgraph/abi.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import type { BuiltFiles } from "../../../src/subgraph/runnable/built-subgraph.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { SchemaError } from "../../../src/subgraph/schema/entity-schema.js";

const address = "0xAbCdEf0000000000000000000000000000000001";
const schema = "type Holder @entity { id: ID! }";
const wasm = new Uint8Array([0, 97, 115, 109]);
const abi = JSON.stringify([
  {
    type: "event",
    name: "Transfer",
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "value", type: "uint256", indexed: false },
    ],
  },
  {
    type: "event",
    name: "Made",
    inputs: [{ name: "", type: "tuple", indexed: false, components: [{ name: "a", type: "uint8" }] }],
  },
  {
    type: "function",
    name: "mint",
    stateMutability: "undefined",
    inputs: [{ name: "to", type: "address", indexed: true }],
    outputs: [],
  },
  { type: "function", name: "look", stateMutability: "view", inputs: [], outputs: [] },
  { type: "function", name: "balanceOf", inputs: [{ name: "", type: "address" }], outputs: [] },
]);

interface Parts {
  readonly top: string;
  readonly source: string;
  readonly handlers: string;
  readonly apiVersion: string;
  readonly network: string;
  readonly templates: string;
  readonly specVersion: string;
}

function files(
  parts: Partial<Parts> = {},
  extra: Readonly<Record<string, string | Uint8Array>> = {},
): BuiltFiles {
  const manifest = `
specVersion: ${parts.specVersion ?? "1.2.0"}
schema:
  file: ./schema.graphql
${parts.top ?? ""}
dataSources:
  - kind: ethereum
    name: Token
    ${parts.network ?? "network: mainnet"}
    source:
      abi: Token
      ${parts.source ?? `address: "${address}"`}
    mapping:
      kind: ethereum/events
      apiVersion: ${parts.apiVersion ?? "0.0.9"}
      language: wasm/assemblyscript
      entities: []
      abis:
        - name: Token
          file: Token/Token.json
      file: Token/../mapping.wasm
${parts.handlers ?? ""}
${parts.templates ?? ""}`;
  const all = {
    "subgraph.yaml": manifest,
    "schema.graphql": schema,
    "Token/Token.json": abi,
    "mapping.wasm": wasm,
  };
  return { manifest: "subgraph.yaml", files: new Map(Object.entries({ ...all, ...extra })) };
}

const handlers = `
      eventHandlers:
        - event: Transfer(indexed address,uint256)
          handler: handleTransfer
          receipt: true
          topic1: ["${address}", "0x01"]
          calls:
            balance: Token[event.address].balanceOf(event.params.from)
        - event: Made((uint8))
          handler: handleMade
      callHandlers:
        - function: mint(address)
          handler: handleMint
      blockHandlers:
        - handler: handleCalled
          filter: { kind: call }
        - handler: handleFirst
          filter: { kind: once }
        - handler: handleSome
          filter: { kind: polling, every: 5 }`;
const template = (text = "", network = "mainnet") => `
templates:
  - kind: ethereum/contract
    name: Pool
    network: ${network}
    source: { abi: Pool }
    mapping:
      apiVersion: 0.0.9
      abis:
        - { name: Other, file: Token/Token.json }
        - { name: Pool, file: pool.json }
      file: mapping.wasm
      ${text}`;

describe("a built subgraph", () => {
  test("is read with its graft base", () => {
    const top = "features: [fullTextSearch, grafting]\ngraft: { base: QmBase, block: 12 }";
    expect(readRunnable(files({ top })).graft).toEqual({ base: "QmBase", block: 12 });
    const old = { specVersion: "0.0.2", top: "graft: { base: QmBase, block: 12 }" };
    expect(readRunnable(files(old)).graft).toEqual({ base: "QmBase", block: 12 });
    expect(readRunnable(files()).graft).toBeUndefined();
  });

  test.each([
    ["", undefined],
    ["indexerHints: {}", undefined],
    ["indexerHints: { prune: never }", undefined],
    ["indexerHints: { prune: auto }", 500],
    ["indexerHints: { prune: 1000 }", 1000],
    ['indexerHints: { prune: "1000" }', 1000],
    ["indexerHints: { prune: 3 }", 250],
  ])("is read with the history it hints at: %s", (top, blocks) => {
    expect(readRunnable(files({ top })).historyBlocks).toBe(blocks);
  });

  test("is read with everything in it", () => {
    const built = readRunnable(
      files(
        {
          handlers,
          templates: template(),
          source: `address: "${address}"\n      startBlock: 7\n      endBlock: 9`,
        },
        { "pool.json": "[]" },
      ),
    );
    expect(built).toMatchObject({ network: "mainnet", apiVersion: "0.0.9", schema, features: new Set() });
    expect([...built.entities.types.keys()]).toEqual(["Holder"]);
    expect(built.modules).toEqual(new Map([["mapping.wasm", wasm]]));
    const [source] = built.dataSources;
    expect(source).toEqual({
      name: "Token",
      abi: "Token",
      abis: new Map([["Token", new Abi("Token", abi)]]),
      module: "mapping.wasm",
      address: address.toLowerCase(),
      startBlock: 7,
      endBlock: 9,
      context: new Map(),
      eventHandlers: [
        {
          event: "Transfer(indexed address,uint256)",
          topic0: id("Transfer(address,uint256)"),
          topicFilters: [
            [`0x${"0".repeat(24)}${address.slice(2).toLowerCase()}`, `0x${"0".repeat(63)}1`],
            undefined,
            undefined,
          ],
          handler: "handleTransfer",
          receipt: true,
          calls: [
            {
              label: "balance",
              text: "Token[event.address].balanceOf(event.params.from)",
              contract: "Token",
              address: { kind: "event-address" },
              function: "balanceOf",
              args: [{ kind: "parameter", name: "from", path: [] }],
            },
          ],
        },
        {
          event: "Made((uint8))",
          topic0: id("Made((uint8))"),
          topicFilters: [],
          handler: "handleMade",
          receipt: false,
          calls: [],
        },
      ],
      callHandlers: [
        { function: "mint(address)", selector: id("mint(address)").slice(0, 10), handler: "handleMint" },
      ],
      blockHandlers: [
        { handler: "handleCalled", filter: { kind: "call" } },
        { handler: "handleFirst", filter: { kind: "once" } },
        { handler: "handleSome", filter: { kind: "polling", every: 5 } },
      ],
    });
    expect(built.templates).toMatchObject([
      { name: "Pool", abi: "Pool", eventHandlers: [], callHandlers: [], blockHandlers: [] },
    ]);
    expect([...(built.templates[0]?.abis.keys() ?? [])]).toEqual(["Other", "Pool"]);
  });

  test("uses paths relative to its manifest", () => {
    const inner = files({ handlers });
    const moved = new Map([...inner.files].map(([path, content]) => [`build/mainnet/${path}`, content]));
    const built = readRunnable({ manifest: "build/mainnet/subgraph.yaml", files: moved });
    expect([...built.modules.keys()]).toEqual(["build/mainnet/mapping.wasm"]);
  });

  test("may hold its text files as bytes", () => {
    const { manifest, files: texts } = files({ handlers });
    const encoded = [...texts].map(
      ([path, content]) => [path, typeof content === "string" ? Buffer.from(content) : content] as const,
    );
    expect(readRunnable({ manifest, files: new Map(encoded) })).toEqual(readRunnable(files({ handlers })));
  });

  test("shares one ABI between sources with the same name and content", () => {
    const again = template()
      .replace("name: Pool, file: pool.json", "name: Token, file: copy.json")
      .replace("abi: Pool", "abi: Token");
    const { dataSources, templates } = readRunnable(files({ templates: again }, { "copy.json": abi }));
    const shared = dataSources[0]?.abis.get("Token");
    expect(shared?.text).toBe(abi);
    expect(templates[0]?.abis.get("Token")).toBe(shared);
    expect(templates[0]?.abis.get("Other")).not.toBe(shared);
  });

  test("declares features, one of which has two names", () => {
    const top = "features: [nonFatalErrors, fullTextSearch, nonDeterministicIpfs]";
    expect([...readRunnable(files({ top })).features]).toEqual([
      "nonFatalErrors",
      "fullTextSearch",
      "ipfsOnEthereumContracts",
    ]);
  });

  test("needs no address, and starts at the first block", () => {
    const [source] = readRunnable(files({ source: "" })).dataSources;
    expect(source).toMatchObject({ startBlock: 0 });
    expect(source && "address" in source).toBe(false);
  });

  test("may name its own topic", () => {
    const own = `
      eventHandlers:
        - event: Transfer(indexed address,uint256)
          handler: h
          topic0: "0xFF"`;
    expect(readRunnable(files({ handlers: own })).dataSources[0]?.eventHandlers[0]?.topic0).toBe(
      `0x${"0".repeat(62)}ff`,
    );
  });

  test("may omit indexed for an event with a unique name", () => {
    const own = "\n      eventHandlers: [{ event: 'Transfer(address,uint256)', handler: h }]";
    expect(readRunnable(files({ handlers: own })).dataSources[0]?.eventHandlers.length).toBe(1);
  });

  test("gives a context to its mappings", () => {
    const context = `network: mainnet
    context:
      z: { type: Bool, data: true }
      text: { type: String, data: "a" }
      int: { type: Int, data: -5 }
      long: { type: Int8, data: 9007199254740993 }
      big: { type: BigInt, data: "123456789012345678901234567890" }
      decimal: { type: BigDecimal, data: "-1.500e2" }
      zero: { type: BigDecimal, data: 0.00 }
      bytes: { type: Bytes, data: "0xAB" }
      time: { type: Timestamp, data: "2020-01-01T00:00:00Z" }
      list: { type: List, data: [{ type: Int, data: 1 }] }`;
    expect([...(readRunnable(files({ network: context })).dataSources[0]?.context ?? [])]).toEqual([
      ["big", { kind: "BigInt", value: 123456789012345678901234567890n }],
      ["bytes", { kind: "Bytes", value: "0xab" }],
      ["decimal", { kind: "BigDecimal", value: { digits: -15n, exponent: 1 } }],
      ["int", { kind: "Int", value: -5 }],
      ["list", { kind: "Array", value: [{ kind: "Int", value: 1 }] }],
      ["long", { kind: "Int8", value: 9007199254740993n }],
      ["text", { kind: "String", value: "a" }],
      ["time", { kind: "Timestamp", value: 1_577_836_800_000_000n }],
      ["z", { kind: "Bool", value: true }],
      ["zero", { kind: "BigDecimal", value: { digits: 0n, exponent: 0 } }],
    ]);
  });
});

const context = (value: string) => ({ network: `network: mainnet\n    context: { c: ${value} }` });
const event = (rest: string) => ({
  handlers: `\n      eventHandlers: [{ event: 'Made((uint8))', handler: h, ${rest} }]`,
});
const blocks = (list: string) => ({ handlers: `\n      blockHandlers: [${list}]` });

describe("a faulty built subgraph", () => {
  test.each<[string, Partial<Parts>, string]>([
    [
      "with an invalid address",
      { source: 'address: "0x01"' },
      "dataSources[0].source.address is 0x01, which is not an address",
    ],
    [
      "of an old version",
      { specVersion: "0.0.1" },
      "specVersion is 0.0.1; supported versions are 0.0.2 to 1.5.0",
    ],
    ["of a new version", { specVersion: "1.6.0" }, "specVersion is 1.6.0;"],
    ["of no version", { specVersion: "new" }, "specVersion is new;"],
    [
      "of an old API",
      { apiVersion: "0.0.4" },
      "dataSources[0].mapping.apiVersion is 0.0.4, whose objects lie in memory as AssemblyScript 0.6 laid them out; supported versions are 0.0.5 to 0.0.10: update graph-ts to 0.25 or later, raise apiVersion in every mapping, and build it again",
    ],
    ["of a new API", { apiVersion: "0.0.11" }, "apiVersion is 0.0.11;"],
    [
      "of two APIs",
      { apiVersion: "0.0.8", templates: template() },
      "templates[0].mapping.apiVersion is 0.0.9, but another source has 0.0.8",
    ],
    [
      "with an invalid hint at its history",
      { top: "indexerHints: { prune: sometimes }" },
      'indexerHints.prune is "sometimes", but must be auto, never or a number of blocks',
    ],
    [
      "with a hint at its history that is too large",
      { top: "indexerHints: { prune: 3000000000 }" },
      'indexerHints.prune is "3000000000", but must be auto, never or a number of blocks',
    ],
    [
      "with a hint at its history in an old manifest",
      { top: "indexerHints: { prune: auto }", specVersion: "0.0.9" },
      "indexerHints.prune requires specVersion 1.0.0, but the manifest has 0.0.9",
    ],
    [
      "with a graft that is not among the features",
      { top: "graft: { base: Qm, block: 1 }" },
      "graft requires the feature grafting",
    ],
    [
      "with a graft without a block",
      { top: "features: [grafting]\ngraft: { base: Qm }" },
      "graft.block must be an integer",
    ],
    [
      "with a graft before the chain",
      { top: "features: [grafting]\ngraft: { base: Qm, block: -1 }" },
      "graft.block must not be negative",
    ],
    [
      "with a graft without a base",
      { top: "features: [grafting]\ngraft: { block: 1 }" },
      "graft.base is missing",
    ],
    [
      "with block handlers and no address",
      { source: "", ...blocks("{ handler: h }") },
      "dataSources[0].source.address is missing, but block handlers require it",
    ],
    [
      "with two block handlers of a kind",
      blocks("{ handler: h }, { handler: g }"),
      "dataSources[0].mapping.blockHandlers have more than one handler without a filter",
    ],
    [
      "with block handlers for all blocks and for some",
      blocks("{ handler: h }, { handler: g, filter: { kind: once } }"),
      "blockHandlers have a handler without a filter beside one with the filter once: use two data sources",
    ],
    [
      "with an unknown block filter",
      blocks("{ handler: h, filter: { kind: daily } }"),
      "blockHandlers[0].filter.kind is daily, but a filter must be call, once or polling",
    ],
    [
      "with a filter of blocks before its version",
      { specVersion: "0.0.7", ...blocks("{ handler: h, filter: { kind: once } }") },
      "blockHandlers[0].filter.kind is once, which requires specVersion 0.0.8, but the manifest has 0.0.7",
    ],
    [
      "with a filter for every 0 blocks",
      blocks("{ handler: h, filter: { kind: polling, every: 0 } }"),
      "blockHandlers[0].filter.every is 0, but must be a number of blocks from 1 to 4294967295",
    ],
    [
      "with a polling filter without a number",
      blocks("{ handler: h, filter: { kind: polling } }"),
      "blockHandlers[0].filter.every must be an integer",
    ],
    [
      "with an unknown feature",
      { top: "features: [nonFatalErrors, magic]" },
      "features[1] is magic, but must be one of nonFatalErrors, grafting, ",
    ],
    ["without network", { network: "" }, "dataSources name no network"],
    [
      "on two networks",
      { templates: template("", "gnosis") },
      "templates[0].network is gnosis, but another source is on mainnet: all sources must be on one network",
    ],
    [
      "with calls and no address",
      { source: "", handlers: "\n      callHandlers: [{ function: mint(address), handler: h }]" },
      "dataSources[0].source.address is missing, but call handlers require it",
    ],
    [
      "with a missing file",
      { templates: template() },
      "templates[0].mapping.abis[1].file names the file pool.json",
    ],
    [
      "with an end before its version",
      { specVersion: "0.0.8", source: "endBlock: 5" },
      "dataSources[0].source.endBlock requires specVersion 0.0.9, but the manifest has 0.0.8",
    ],
    [
      "with calls before their version",
      { specVersion: "1.1.0", ...event("calls: { a: 'Token[event.address].f()' }") },
      "eventHandlers[0].calls require specVersion 1.2.0",
    ],
    [
      "with topics before their version",
      { specVersion: "1.1.0", ...event('topic2: ["0x01"]') },
      "eventHandlers[0].topic2 requires specVersion 1.2.0",
    ],
    [
      "with an invalid topic",
      event('topic2: ["x"]'),
      "eventHandlers[0].topic2[0] is x, which is not up to 32 bytes of hex",
    ],
    [
      "with receipts before their version",
      { apiVersion: "0.0.6", ...event("receipt: true") },
      "eventHandlers[0].receipt requires apiVersion 0.0.7, but the mapping has 0.0.6",
    ],
    [
      "with a receipt that is neither true nor false",
      event("receipt: maybe"),
      "eventHandlers[0].receipt must be true or false",
    ],
    [
      "without a handler's name",
      { handlers: "\n      eventHandlers: [{ event: 'Made((uint8))' }]" },
      "eventHandlers[0].handler is missing",
    ],
    [
      "with handlers that are not a list",
      { handlers: "\n      eventHandlers: { a: 1 }" },
      "eventHandlers must be a list",
    ],
    [
      "with a negative start block",
      { source: "startBlock: -5" },
      "dataSources[0].source.startBlock must not be negative",
    ],
    [
      "with a start block that is not a number",
      { source: "startBlock: soon" },
      "dataSources[0].source.startBlock must be an integer",
    ],
    [
      "with a number in a context as BigInt",
      context("{ type: BigInt, data: 5 }"),
      "dataSources[0].context.c.data must be a quoted string",
    ],
    [
      "with an Int that does not fit",
      context("{ type: Int, data: 2147483648 }"),
      "context.c.data is 2147483648, which does not fit in 32 bits",
    ],
    [
      "with an unknown kind in a context",
      context("{ type: Boolean, data: true }"),
      "context.c.type is Boolean, which is not a type",
    ],
    [
      "with a decimal of too many digits",
      context(`{ type: BigDecimal, data: "${"1".repeat(35)}" }`),
      "has more than 34 digits",
    ],
    ["that is not YAML", { top: "a: [" }, "the manifest is not YAML"],
  ])("is refused %s", (_, parts, message) => {
    expect(() => readRunnable(files(parts))).toThrow(message);
    expect(() => readRunnable(files(parts))).toThrow(BundleError);
  });

  test.each([
    ["a value", blocks("{ handler: h, filter: { kind: daily } }"), "(line 23)"],
    ["a missing value", { network: "" }, "dataSources name no network (line 6)"],
    [
      "a value with a missing part",
      event('topic2: ["0x01", x]'),
      "topic2[1] is x, which is not up to 32 bytes of hex in quotes (line 23)",
    ],
    [
      "an entry of a context",
      context("\n        { type: BigInt, data: 5 }"),
      "must be a quoted string (line 11)",
    ],
  ])("is refused with the line of %s", (_, parts, message) => {
    expect(() => readRunnable(files(parts))).toThrow(message);
  });

  const importing = (name: string) => {
    const entry = [3, ...Buffer.from("env"), name.length, ...Buffer.from(name), 0, 0];
    return Uint8Array.from([...wasm, 1, 0, 0, 0, 2, entry.length + 1, 1, ...entry]);
  };

  test.each([
    "ipfs.cat",
    "ipfs.getBlock",
    "ipfs.map",
  ])("is refused with code that imports the undeclared %s", (name) => {
    const code = { "mapping.wasm": importing(name) };
    expect(() => readRunnable(files({}, code))).toThrow(
      `imports ${name}, which requires the feature ipfsOnEthereumContracts, but the manifest does not declare it (line 21)`,
    );
    const top = "features: [ipfsOnEthereumContracts]";
    expect(readRunnable(files({ top }, code)).dataSources.length).toBe(1);
    expect(readRunnable(files({ specVersion: "0.0.3" }, code)).dataSources.length).toBe(1);
  });

  const replaced = (from: string, to: string) => {
    const { manifest, files: all } = files();
    const text = String(all.get(manifest));
    expect(text).toContain(from);
    return { manifest, files: new Map([...all, [manifest, text.replace(from, to)]]) };
  };

  test.each([
    [
      "file: ./schema.graphql",
      "file: { '/': /ipfs/QmX }",
      "schema.file is on IPFS (/ipfs/QmX): this is the manifest of a deployment",
    ],
    ["file: ./schema.graphql", "file: { path: x }", "schema.file must be a path"],
    [
      "file: ./schema.graphql",
      "file: nowhere.graphql",
      "schema.file names the file nowhere.graphql, which is not in the build",
    ],
    [
      "file: Token/../mapping.wasm",
      "file: none.wasm",
      "dataSources[0].mapping.file names the file none.wasm",
    ],
    [
      "kind: ethereum\n",
      "kind: file/ipfs\n",
      "dataSources[0].kind is file/ipfs, which is only allowed in templates",
    ],
    [
      "kind: ethereum\n",
      "kind: near\n",
      "dataSources[0].kind is near, which is not supported: the kind of a source must be ethereum or subgraph (line 7)",
    ],
    ["kind: ethereum\n", "kind: substreams\n", "dataSources[0].kind is substreams, which is not supported"],
    ["abi: Token\n", "abi: Tokn\n", "dataSources[0].source.abi is Tokn, which is not in mapping.abis: Token"],
    ["dataSources:", "other:", "dataSources must contain a data source"],
    ["specVersion: 1.2.0", "", "specVersion is missing"],
  ])("is refused with %j as %j", (from, to, message) => {
    expect(() => readRunnable(replaced(from, to))).toThrow(message);
  });

  test.each([
    ["{}", "the ABI Token is not a JSON array"],
    ["[", "the ABI Token is not JSON"],
  ])("is refused with the ABI %s", (text, message) => {
    expect(() => readRunnable(files({}, { "Token/Token.json": text }))).toThrow(message);
  });

  test("is refused with a schema that cannot be run", () => {
    const union = "type Holder @entity { id: ID!, any: Any } union Any = Holder";
    const read = (): unknown => readRunnable(files({}, { "schema.graphql": union }));
    expect(read).toThrow(SchemaError);
    expect(read).toThrow("Holder.any has the type Any, which is not defined");
  });

  const fileTemplate = (kind: string, entities: string, specVersion = "0.0.7") =>
    files({
      specVersion,
      templates: `
templates:
  - kind: ${kind}
    name: Metadata
    mapping:
      apiVersion: 0.0.9
      file: ./mapping.wasm
      handler: handleMetadata
      entities: ${entities}`,
    });

  test.each([
    ["file/ipfs", {}],
    ["file/arweave", { isArweave: true }],
  ])("is accepted with valid templates of the kind %s", (kind, more) => {
    const { templates } = readRunnable(fileTemplate(kind, "[Holder]"));
    expect(templates).toMatchObject([
      {
        name: "Metadata",
        module: "mapping.wasm",
        eventHandlers: [],
        callHandlers: [],
        blockHandlers: [],
        file: { handler: "handleMetadata", entities: new Set(["Holder"]), ...more },
      },
    ]);
  });

  test.each([
    [
      fileTemplate("file/arweave", "[]", "0.0.6"),
      "templates[0].kind is file/arweave, which requires specVersion 0.0.7",
    ],
    [
      fileTemplate("file/ipfs", "[]", "0.0.6"),
      "templates[0].kind is file/ipfs, which requires specVersion 0.0.7",
    ],
  ])("is refused with invalid templates for files", (built, message) => {
    expect(() => readRunnable(built)).toThrow(message);
    expect(() => readRunnable(built)).toThrow(BundleError);
  });

  test("is refused without its manifest", () => {
    const all = { manifest: "build/subgraph.yaml", files: files().files };
    expect(() => readRunnable(all)).toThrow("the build does not contain build/subgraph.yaml");
  });
});
