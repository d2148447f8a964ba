import { expect, it } from "vitest";
import { buildProject } from "../../../src/machine/compiler/build-project.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

const manifest = `
specVersion: 1.3.0
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    network: mainnet
    source: { abi: Token, address: "0x41675C099F32341bf84BFc5382aF534df5C7461a" }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Sent]
      abis: [{ name: Token, file: ./Token.json }]
      eventHandlers: [{ event: Sent(), handler: handleSent }]
      file: ./mapping.ts
`;
const mapping = `
import { ethereum } from "@graphprotocol/graph-ts";
import { answer } from "./answer.ts";
export function handleSent(event: ethereum.Event): void {
  assert(answer() > 0);
}
`;

function build(files: Readonly<Record<string, string>>) {
  const host = memoryHost({
    "subgraph.yaml": manifest,
    "schema.graphql": "type Sent @entity(immutable: true) { id: ID! }",
    "Token.json": '[{"type":"event","name":"Sent","inputs":[]}]',
    "mapping.ts": mapping,
    ...files,
  });
  return buildProject("subgraph.yaml", host, { asc, optimize: "fast" });
}

const library = "export function answer(): i32 { return 42; }";

it("the compiler reads an import with an extension from the file that the compiler reads", async () => {
  const { ok, diagnostics } = await build({ "answer.ts.ts": library });
  expect(diagnostics).toEqual([]);
  expect(ok).toBe(true);
});

it("the compiler says that an import has an extension too much", async () => {
  const { diagnostics } = await build({ "answer.ts": library });
  expect(diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
    ["file 'answer.ts.ts' not found", "leave .ts out of the import: the compiler adds it"],
  ]);
});
