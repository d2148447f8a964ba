import { zipSync } from "fflate";

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

/** The files of the smallest possible build. */
export function sampleFiles(
  options: { network?: string; startBlock?: number } = {},
): Record<string, Uint8Array> {
  const { network = "mainnet", startBlock = 100 } = options;
  return {
    "subgraph.yaml": text(`specVersion: 1.2.0
schema:
  file: ./schema.graphql
dataSources:
  - kind: ethereum
    name: Pool
    network: ${network}
    source:
      address: "0x0000000000000000000000000000000000000001"
      abi: Pool
      startBlock: ${startBlock}
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      file: ./Pool/Pool.wasm
      abis:
        - name: Pool
          file: ./Pool/Pool.json
`),
    "schema.graphql": text("type Swap @entity(immutable: true) { id: Bytes! amountIn: BigInt! }\n"),
    "Pool/Pool.json": text("[]"),
    "Pool/Pool.wasm": new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]),
  };
}

/** The same build as a bundle. */
export function sampleBundle(options: { network?: string; startBlock?: number } = {}): Uint8Array {
  return zipSync(sampleFiles(options));
}
