import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import type { BuiltFiles } from "../../../src/subgraph/runnable/built-subgraph.js";
import { buildWarnings, judgeBuild } from "../../../src/subgraph/runnable/judge-build.js";
import { ReadBuild } from "../../../src/subgraph/runnable/read-build.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { moduleBytes } from "./module-bytes.js";

interface Source {
  readonly mapping: Readonly<Record<string, unknown>>;
}

/** The answers of a graph-node 0.44 to deployed manifests. */
interface Recorded {
  readonly name: string;
  readonly manifest: {
    readonly dataSources: readonly Source[];
    readonly templates?: readonly Source[];
  };
  readonly refused?: string;
}

const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL("recorded-manifests.json", import.meta.url), "utf8"),
);

const inputs = (...types: readonly string[]) =>
  types.map((type, index) => ({ name: `p${index}`, type, indexed: index === 0 }));
const abis: Readonly<Record<string, readonly unknown[]>> = {
  Lab: [
    { type: "event", name: "A", inputs: inputs("uint256", "uint256") },
    { type: "event", name: "B", inputs: inputs("address", "uint256") },
    ...["a", "b"].map((name) => ({ type: "function", name, inputs: inputs("uint256"), outputs: [] })),
    { type: "function", name: "look", stateMutability: "view", inputs: [], outputs: [] },
  ],
  Child: [{ type: "event", name: "Made", inputs: inputs("uint256", "uint256") }],
  A: [
    {
      type: "event",
      name: "E",
      inputs: ["string", "string", "int256", "bytes"].map((type) => ({ name: "", type })),
    },
  ],
};
const exported = [
  "ok",
  "h1",
  "h2",
  "hTopic",
  "hCall",
  "hCallB",
  "hBlock",
  "hBlock2",
  "tSpawn",
  "tMade",
  "hEns",
  "handleE",
];

function filesOf(
  manifest: unknown,
  { schema = "type P @entity { id: ID! }", wasm = moduleBytes([], exported) } = {},
): BuiltFiles {
  return {
    manifest: "subgraph.yaml",
    files: new Map<string, string | Uint8Array>([
      ["subgraph.yaml", stringify(manifest)],
      ["schema.graphql", schema],
      ["m.wasm", wasm],
      ...Object.entries(abis).map(([name, abi]) => [`${name}.json`, JSON.stringify(abi)] as const),
    ]),
  };
}

/** Judges a build. @returns its warnings */
function judged(files: BuiltFiles): readonly string[] {
  const build = ReadBuild.of(files);
  judgeBuild(build);
  return buildWarnings(build);
}

describe("the recorded answers of a graph-node", () => {
  test("include accepted and refused builds", () => {
    expect([recorded.length, recorded.filter(({ refused }) => refused !== undefined).length]).toEqual([
      39, 10,
    ]);
  });

  test.each(recorded)("agree with ours on $name", ({ manifest, refused }) => {
    const judge = (): unknown => judged(filesOf(manifest));
    if (refused === undefined) expect(judge).not.toThrow();
    else expect(judge).toThrow(BundleError);
  });
});

const warningsOf = (name: string): readonly string[] => {
  const found = recorded.find((one) => one.name === name);
  return judged(filesOf(found?.manifest));
};
const failing = "fails the subgraph, which then retries that block forever";
const log = `the first log with its topic, if any, ${failing}`;
const call = `is not a state-changing function of the ABI Lab: the first call with its selector, if any, ${failing}`;
const event = "dataSources[0].mapping.eventHandlers[0].event is";

test.each([
  [
    "c4-event-noabi",
    `eventHandlers[1].event is Zed(indexed uint256,uint128), which the ABI Lab does not have: ${log} (line 27)`,
  ],
  [
    "c4-event-names",
    `${event} A(indexed uint256 n, uint256 v), which the ABI Lab does not have; it has A(indexed uint256,uint256): ${log}`,
  ],
  [
    "c4-event-spaces",
    `${event} A(indexed uint256, uint256), which the ABI Lab does not have; it has A(indexed`,
  ],
  ["c4-event-alias", `${event} A(indexed uint,uint), which the ABI Lab does not have; it has A(indexed`],
  [
    "c4-topic0-noabi",
    `${event} Zed(indexed uint256,uint256), which the ABI Lab does not have: ${log} (line 25)`,
  ],
  ["event signature nonsense", `${event} ???, which the ABI A does not have: ${log}`],
  [
    "c3-missing-never",
    "eventHandlers[1].event is Made(indexed uint256,uint256), which the ABI Lab does not have",
  ],
  ["c4-call-noabi", `callHandlers[0].function is zed(uint256), which ${call} (line 28)`],
  ["c4-call-noabi-match", `callHandlers[0].function is a(uint256 n), which ${call} (line 28)`],
  [
    "c3-missing-b",
    `eventHandlers[1].handler is noSuchHandler, which m.wasm does not export: the first log for it ${failing} (line 28)`,
  ],
  [
    "c3-missing-call",
    `callHandlers[0].handler is noSuchCall, which m.wasm does not export: the first call for it ${failing} (line 29)`,
  ],
  [
    "c3-missing-template",
    `templates[0].mapping.eventHandlers[0].handler is noSuchMade, which m.wasm does not export: the first log`,
  ],
])("%s has one warning", (name, warning) => {
  expect(warningsOf(name)).toEqual([expect.stringContaining(warning)]);
});

test.each([
  "c4-topic1",
  "c4-calls-twice",
  "c4-block-polling-once",
  "c4-wildcard",
  "c4-event-indexed-differs",
])("%s has no warning", (name) => {
  expect(warningsOf(name)).toEqual([]);
});

const sample = recorded.find(({ name }) => name === "c4-wildcard")?.manifest;

test("the check warns about a block handler that is not exported", () => {
  const [source] = sample?.dataSources ?? [];
  const mapping = { ...source?.mapping, blockHandlers: [{ handler: "nope" }] };
  const withAddress = { ...source, source: { abi: "Lab", address: `0x${"1".repeat(40)}` }, mapping };
  const warnings = judged(filesOf({ ...sample, dataSources: [withAddress] }));
  expect(warnings).toEqual([
    expect.stringContaining(`is nope, which m.wasm does not export: the first block for it ${failing}`),
  ]);
});

test("the check warns about a file template's missing handler and missing entity types", () => {
  const mapping = { apiVersion: "0.0.9", file: "m.wasm", handler: "nope", entities: ["P", "Q"] };
  const templates = [{ kind: "file/ipfs", name: "F", mapping }];
  expect(judged(filesOf({ ...sample, templates }))).toEqual([
    expect.stringMatching(
      /^templates\[0\].*handler is nope, which m.wasm does not export: files are ignored/,
    ),
    expect.stringMatching(/^templates\[0\].*entities\[1\] is Q, which is not in the schema: it is ignored/),
  ]);
});

test("the check warns about code that looks up ENS names", () => {
  const wasm = moduleBytes(["abort", "ens.nameByHash"], exported);
  expect(judged(filesOf(sample, { wasm }))).toEqual([
    expect.stringMatching(/^m.wasm looks up ENS names .*table of names .* the first lookup fails/),
  ]);
});

test("the check reports errors in the schema, and its parts without effect", () => {
  const judge = (schema: string) => judged(filesOf(sample, { schema }));
  expect(judge("type P @entity { id: ID! }\nscalar Date")).toEqual([
    "the scalar Date is ignored: queries cannot use it (line 2 of the schema)",
  ]);
  expect(() => judge("type P @entity { id: ID! n: Int n: Int }")).toThrow("P.n is declared twice");
});

test("the check requires the feature of a full text search", () => {
  const schema = `type P @entity { id: ID! tag: String! }
    type _Schema_ @fulltext(name: "find", language: en, algorithm: rank, include: [{ entity: "P", fields: [{ name: "tag" }] }])`;
  expect(() => judged(filesOf(sample, { schema }))).toThrow(
    "features must list fullTextSearch: the schema declares a full text search",
  );
  expect(judged(filesOf({ ...sample, features: ["fullTextSearch"] }, { schema }))).toEqual([]);
});

test("the check still accepts older deployments with a short topic or an unsatisfied interface", () => {
  const short = recorded.find(({ name }) => name === "topic0 of two bytes")?.manifest;
  const schema = "interface N { id: ID! n: Int } type P implements N @entity { id: ID! }";
  expect(() => judged(filesOf(short))).toThrow("is 0x83f8, which is not 32 bytes of hex");
  expect(() => judged(filesOf(sample, { schema }))).toThrow("does not satisfy the interface N");
  expect(readRunnable(filesOf(short, { schema })).entities.types.has("P")).toBe(true);
});

test("the check accepts an address without 0x", () => {
  const without = recorded.find(({ name }) => name === "address without 0x")?.manifest;
  expect(readRunnable(filesOf(without)).dataSources[0]?.address).toBe(
    "0x8aac5570d54306bb395bf2385ad327b7b706016b",
  );
});
