import { readFileSync } from "node:fs";
import { assemble } from "../../runtime/wasm/probe.js";
import { asc } from "../../support/asc.js";
import { type Bundle, bundleOf } from "./hosted.js";

const schema = "type Note @entity(immutable: false) { id: ID!, text: String! }";

let wasm: Promise<Uint8Array> | undefined;

/** A subgraph whose handler (`blocks.as`) is run for every block. @param more lines of the manifest */
export async function blocksBundle(handler: string, more = ""): Promise<Bundle> {
  wasm ??= assemble(readFileSync(new URL("./blocks.as", import.meta.url), "utf8"), asc);
  const manifest = `
specVersion: 1.3.0
${more}
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Blocks
    network: mainnet
    source: { abi: A, startBlock: 0, address: "0x0000000000000000000000000000000000000001" }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Note]
      abis: [{ name: A, file: ./A.json }]
      blockHandlers: [{ handler: ${handler} }]
      file: ./mapping.wasm
`;
  const files = new Map<string, string | Uint8Array>([
    ["build/subgraph.yaml", manifest],
    ["build/schema.graphql", schema],
    ["build/A.json", "[]"],
    ["build/mapping.wasm", await wasm],
  ]);
  return bundleOf({ files });
}
