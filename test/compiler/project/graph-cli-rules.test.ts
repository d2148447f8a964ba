import { expect, it } from "vitest";
import { firstVersions } from "../../../src/compiler/abi/graph-cli-rules.js";
import { buildProject } from "../../../src/compiler/project/build-project.js";
import { rulesOf } from "../../../src/compiler/project/manifest/versions.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

const mapping = (kind: string) => `
      ${kind}
      apiVersion: 0.0.6
      language: wasm/assemblyscript
      entities: [Account]
      abis: [{ name: Token, file: ./Token.json }]
      file: ./mapping.ts`;
const manifest = `
specVersion: 0.0.5
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    network: mainnet
    source: { abi: Token, address: "0x41675C099F32341bf84BFc5382aF534df5C7461a" }
    mapping: ${mapping("kind: ethereum/events")}
      eventHandlers: [{ event: Sent(address), handler: handleSent }]
templates:
  - kind: file/ipfs
    name: Text
    mapping: ${mapping("kind: ethereum/events")}
      handler: handleText
  - kind: ethereum
    name: Pool
    network: mainnet
    source: { abi: Token }
    mapping: ${mapping("kind: ethereum/events")}
      eventHandlers: [{ event: Sent(address), handler: handleSent }]
`;
const schema = `
interface Thing { id: Bytes!, note: Note! }
type Account @entity(immutable: false) { id: ID!, name: String!, notes: [Note!]! @derivedFrom(field: "account") }
type Note @entity(immutable: false) {
  id: Bytes!
  account: Account!
  coins: [Coin!]! @derivedFrom(field: "note")
  things: [Thing!]! @derivedFrom(field: "note")
}
type Coin implements Thing @entity(immutable: false) { id: Bytes!, note: Note! }
`;
const order = { name: "order", type: "tuple", components: [{ name: "price", type: "uint256" }] };
const abi = [
  { type: "event", name: "Sent", inputs: [{ name: "in", type: "address" }] },
  { type: "function", name: "swap", stateMutability: "payable", inputs: [], outputs: [order] },
  {
    type: "function",
    name: "pairsThatTheMarketHasOpenInAnyOfItsRounds",
    stateMutability: "view",
    inputs: [],
    outputs: [{ ...order, type: "tuple[]" }],
  },
];

async function typesOf(version: string): Promise<ReadonlyMap<string, string>> {
  const host = memoryHost({
    "subgraph.yaml": manifest,
    "schema.graphql": schema,
    "Token.json": JSON.stringify(abi),
    "mapping.ts": "",
    "node_modules/@graphprotocol/graph-cli/package.json": JSON.stringify({ version }),
  });
  const asc = { compile: () => Promise.reject(new Error("compiles")), prepare() {}, close: async () => {} };
  const { types, diagnostics } = await buildProject("subgraph.yaml", host, { asc }, { until: "types" });
  expect(diagnostics).toEqual([]);
  return types;
}

const bytes = '\n      this.get("id")!\n        .toBytes()\n        .toHexString(),';
it.each([
  ["int8", "0.96.0", "schema.ts", "Int8", "BigDecimal,\n}"],
  ["escapesNames", "0.95.0", "Token/Token.ts", "get in_(): Address", "get in(): Address"],
  ["outputStructs", "0.93.3", "Token/Token.ts", "SwapCallOrderOutputStruct", "SwapCallOrderStruct"],
  ["currentLayout", "0.63.1", "schema.ts", "BigDecimal,\n}", "BigDecimal\n}"],
  [
    "currentLayout",
    "0.63.1",
    "Token/Token.ts",
    "toTupleArray<Token__pairs",
    "toTupleArray<\n      Token__pairs",
  ],
  ["cleanNames", "0.61.0", "templates.ts", "DataSourceContext,\n  Address", "DataSourceContext }"],
  ["ownIds", "0.60.0", "schema.ts", '"Account", this.get("id")!.toString()', `"Account",${bytes}`],
  ["noInterfaceLoaders", "0.58.0", "schema.ts", "CoinLoader", "ThingLoader"],
  ["loadsByBytes", "0.52.0", "schema.ts", `"Note",${bytes}`, '"Note", this.get("id")!.toString()'],
  ["loaders", "0.50.1", "schema.ts", "get notes(): NoteLoader", "get notes(): Array<Bytes>"],
  ["loadInBlock", "0.48.0", "schema.ts", "static loadInBlock", "static load("],
  ["checksNull", "0.46.1", "schema.ts", "Cannot return null", "return value!.toString()"],
  ["readOnlyDerived", "0.43.0", "schema.ts", "get notes()", "set notes("],
] as const)("%s: types differ after graph-cli %s in %s", async (rule, before, file, newer, older) => {
  const [now, then] = [await typesOf(firstVersions[rule]), await typesOf(before)];
  expect(now.get(file)).toContain(newer);
  expect(then.get(file)).toContain(older);
  expect(now.get(file)).not.toBe(then.get(file));
});

it("an unknown version has the rules of the current one", () => {
  expect(new Set(Object.values(rulesOf(undefined)))).toEqual(new Set([true]));
  expect(rulesOf("latest")).toEqual(rulesOf("0.98.1"));
});
