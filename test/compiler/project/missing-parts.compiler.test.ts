import { expect, it } from "vitest";
import { buildProject } from "../../../src/machine/compiler/build-project.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

const project = (address: string, imported: string): Readonly<Record<string, string>> => ({
  "subgraph.yaml": `
specVersion: 0.0.5
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    network: mainnet
    source: { abi: Token, address: ${address} }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.6
      language: wasm/assemblyscript
      entities: [Sent]
      abis: [{ name: Token, file: ./Token.json }]
      eventHandlers: [{ event: Sent(), handler: handleSent }]
      file: ./mapping.ts
`,
  "schema.graphql": "type Sent @entity(immutable: true) { id: ID! }",
  "Token.json": '[{"type":"event","name":"Sent","inputs":[]}]',
  "mapping.ts": `
import { Sent } from "./generated/Token/Token";
import { made } from "${imported}";
export function handleSent(event: Sent): void { made(event); }
`,
});

const address = '"0x41675C099F32341bf84BFc5382aF534df5C7461a"';

it.each([
  ['""', "./made", "the address is empty", /take it from networks.json with --network/],
  ["null", "./made", "the address is empty", /without the line, the source reads every contract/],
  [
    address,
    "./generated/UncrashableEntityHelpers",
    "UncrashableEntityHelpers",
    /run graph codegen --uncrashable/,
  ],
  [address, "./common/chain", "file 'common/chain.ts' not found", /run the script of the project that makes/],
  [address, "matchstick-as", "file '~lib/matchstick-as.ts' not found", /install the package/],
])("with the address %s and the import %s, a build names the missing parts", async (at, imported, said, hint) => {
  const built = await buildProject("subgraph.yaml", memoryHost(project(at, imported)), {
    asc,
    optimize: "fast",
  });
  const [first] = built.diagnostics;
  expect(first?.message).toContain(said);
  expect(first?.hint).toMatch(hint);
});

it.each([
  ["../contracts/out/Token.sol/Token.json", "build the contracts: forge build"],
  [
    "../token/abi/contracts/Token.sol/Token.json",
    "build the contracts, for instance with npx hardhat compile",
  ],
  ["./node_modules/@some/contracts/Token.json", "install the packages of the project"],
  ["./abis/Token.json", "correct the path, or run the script of the project that makes the file"],
])("a missing ABI at %s is reported with a way to get it", async (path, hint) => {
  const files = project(address, "./made");
  const manifest = files["subgraph.yaml"]?.replace("./Token.json", path) ?? "";
  const host = memoryHost({ ...files, "subgraph.yaml": manifest });
  const { diagnostics } = await buildProject("subgraph.yaml", host, { asc, until: "types" });
  expect(diagnostics.map(({ code, hint }) => [code, hint])).toContainEqual(["manifest-file", hint]);
});
