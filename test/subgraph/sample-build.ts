import type { Build } from "../../src/subgraph/build.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";

/** The manifest of a build: two data sources and a template that share one mapping. */
export const sampleManifest = `# made by hand
specVersion: 1.2.0
features:
  - ipfsOnEthereumContracts
schema:
  file: ./schema.graphql # what there is
dataSources:
  - kind: ethereum
    name: Factory
    network: mainnet
    source:
      abi: Factory
      address: "0x1F98431c8aD98523631AE4a59f267346ea31F984"
      startBlock: 12369621
    context:
      file:
        type: String
        data: not-a-file
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Pool]
      abis:
        - name: Factory
          file: Factory/Factory.json
        - name: ERC20
          file: Factory/ERC20.json
      eventHandlers:
        - event: PoolCreated(indexed address,indexed address,indexed uint24,int24,address)
          handler: handlePoolCreated
      file: Factory/Factory.wasm
  - kind: ethereum
    name: Token
    network: mainnet
    source:
      abi: ERC20
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Transfer]
      abis:
        - name: ERC20
          file: Token/ERC20.json
      eventHandlers:
        - event: Transfer(indexed address,indexed address,uint256)
          handler: handleTransfer
      file: Factory/Factory.wasm
templates:
  - kind: ethereum
    name: Pool
    network: mainnet
    source:
      abi: Pool
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Swap]
      abis:
        - name: Pool
          file: Pool/Pool.json
      eventHandlers:
        - event: Swap(indexed address,int256)
          handler: handleSwap
      file: templates/Pool/Pool.wasm
`;

/** The header of every WASM module, and bytes that make modules distinct. */
export function wasm(...more: readonly number[]): Uint8Array {
  return Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...more);
}

/** All files in the folder of the sample manifest, including files that do not belong to it. */
export function sampleFiles(folder = "build/mainnet"): Map<string, string | Uint8Array> {
  return new Map<string, string | Uint8Array>([
    [`${folder}/subgraph.yaml`, sampleManifest],
    [`${folder}/schema.graphql`, "type Pool @entity { id: Bytes! }\n"],
    [`${folder}/Factory/Factory.json`, '[\n  {"type": "event", "name": "PoolCreated"}\n]'],
    [`${folder}/Factory/ERC20.json`, '[\n  {"type": "event", "name": "Transfer"}\n]'],
    [`${folder}/Token/ERC20.json`, '[\n  {"type": "event", "name": "Transfer"}\n]'],
    [`${folder}/Pool/Pool.json`, '[\n  {"type": "event", "name": "Swap"}\n]'],
    [`${folder}/Factory/Factory.wasm`, wasm(1)],
    [`${folder}/templates/Pool/Pool.wasm`, wasm(2)],
    [`${folder}/Other/Other.wasm`, wasm(3)],
    ["build/base/subgraph.yaml", "specVersion: 1.2.0"],
    ["subgraph.yaml", "specVersion: 1.2.0"],
  ]);
}

/** The sample, or a variant of its manifest. */
export function sampleBuild(change: (manifest: string) => string = (text) => text): Build {
  const files = sampleFiles();
  files.set("build/mainnet/subgraph.yaml", change(sampleManifest));
  return collectBuild({ manifest: "build/mainnet/subgraph.yaml", files });
}

/** The text of a build's manifest. */
export function manifestText({ files }: Build): string {
  return new TextDecoder().decode(files.get("subgraph.yaml"));
}
