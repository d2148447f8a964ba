import { readFileSync } from "node:fs";
import { assemble } from "../../runtime/wasm/probe.js";
import { asc } from "./asc.js";

/** A handwritten subgraph with one data source. */
export interface WrittenSubgraph {
  readonly name: string;
  readonly network: string;
  readonly address: string;
  /** JSON. */
  readonly abi: string;
  readonly schema: string;
  readonly entities: readonly string[];
  /** The path of the AssemblyScript source of its mapping. */
  readonly mapping: URL;
  /** The line of the manifest that names its handlers. */
  readonly handlers: string;
  /** Additional lines of the manifest. */
  readonly more?: string;
}

/** Compiles such a subgraph. @returns the files of its build */
export async function writtenSubgraph(
  subgraph: WrittenSubgraph,
): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const { mapping, schema, abi } = subgraph;
  return new Map<string, string | Uint8Array>([
    ["build/subgraph.yaml", manifestOf(subgraph)],
    ["build/schema.graphql", schema],
    ["build/Contract.json", abi],
    ["build/mapping.wasm", await assemble(readFileSync(mapping, "utf8"), asc)],
  ]);
}

function manifestOf({ name, network, address, entities, handlers, more = "" }: WrittenSubgraph): string {
  return `
specVersion: 1.3.0
${more}
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: ${name}
    network: ${network}
    source: { abi: Contract, startBlock: 0, address: "${address}" }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [${entities.join(", ")}]
      abis: [{ name: Contract, file: ./Contract.json }]
      ${handlers}
      file: ./mapping.wasm
`;
}
