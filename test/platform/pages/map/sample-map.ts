import { mapLines } from "../../../../src/platform/pages/map/map-lines.js";
import { handlersOf } from "../../../../src/platform/pages/map/maps.js";
import { parseManifest } from "../../../../src/subgraph/manifest/parse-manifest.js";
import { diagramOf } from "../../../../src/subgraph/map/diagram.js";
import { mapOfManifest } from "../../../../src/subgraph/map/manifest-map.js";
import type { HandlerFacts } from "../../../../src/subgraph/map-facts.js";

/** An address on mainnet. */
export const address = (last: number): string => `0x${"0".repeat(38)}${String(last).padStart(2, "0")}`;

const token = (index: number) => `
  - kind: ethereum
    name: Token${index}
    network: mainnet
    source: { abi: Token, address: "${address(index)}" }
    mapping:
      entities: [Transfer, Account]
      eventHandlers:
        - { event: "Transfer(address)", handler: onTransfer }
        - { event: "Mint(address)", handler: onMint }`;

/** A manifest with a number of tokens that share their triggers, a factory on a local chain, and a template. */
const manifest = (tokens: number): string => `
specVersion: 1.2.0
schema: { file: ./schema.graphql }
dataSources:${Array.from({ length: tokens }, (_, index) => token(index + 1)).join("")}
  - kind: ethereum
    name: Factory
    network: local
    source: { abi: Factory, address: "${address(99)}" }
    mapping:
      eventHandlers:
        - { event: "Created(address)", handler: onAny }
        - { event: "Removed(address)", handler: onAny }
templates:
  - kind: ethereum
    name: Pool
    network: mainnet
    source: { abi: Pool }
    mapping: { entities: [Swap, Account], eventHandlers: [{ event: "Swap(address)", handler: onSwap }] }
`;

const stores = (...entities: readonly string[]): HandlerFacts => ({ entities, creates: [] });

/** The map of that manifest. What the template stores is not known in detail. */
export function sampleMap(tokens = 2) {
  const parsed = parseManifest(manifest(tokens)).toData();
  const factory = new Map([["Created(address)", { ...stores(), creates: ["Pool"] }]]);
  const facts = new Map<string, ReadonlyMap<string, HandlerFacts>>([["Factory", factory]]);
  for (let index = 1; index <= tokens; index += 1) {
    const known = { "Transfer(address)": stores("Transfer", "Account"), "Mint(address)": stores("Transfer") };
    facts.set(`Token${index}`, new Map(Object.entries(known)));
  }
  const map = mapOfManifest(parsed, "tokens/1.0.0", ["Transfer", "Account", "Swap"], facts);
  const diagram = diagramOf(map);
  return { map, diagram, lines: mapLines(map, diagram), handlers: handlersOf(parsed) };
}
