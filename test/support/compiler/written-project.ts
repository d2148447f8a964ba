import { event } from "../../compiler/abi/entries.js";

/** What differs between hand-written subgraphs of a contract that counts. */
export interface ProjectChoices {
  /** Of the contract, whose event is `Counted(uint256)`. */
  readonly address?: string;
  readonly network?: string;
  /** The value of a note: an AssemblyScript expression over `event`. */
  readonly value?: string;
}

/** The mapping of such a subgraph. */
export function countingMapping(value = "event.params.number"): string {
  return `import { Counted } from "../generated/Counter/Counter";
import { Note } from "../generated/schema";

export function handleCounted(event: Counted): void {
  const note = new Note(event.transaction.hash.concatI32(event.logIndex.toI32()));
  note.value = ${value};
  note.save();
}
`;
}

/** The files of a hand-written subgraph that stores a note for every number counted; its types are not generated. */
export function writtenProject({
  address = `0x${"0".repeat(38)}a1`,
  network = "mainnet",
  value,
}: ProjectChoices = {}): Readonly<Record<string, string>> {
  return {
    "subgraph.yaml": `specVersion: 1.0.0
schema:
  file: ./schema.graphql
dataSources:
  - kind: ethereum
    name: Counter
    network: ${network}
    source:
      address: "${address}"
      abi: Counter
      startBlock: 0
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities:
        - Note
      abis:
        - name: Counter
          file: ./abis/Counter.json
      eventHandlers:
        - event: Counted(uint256)
          handler: handleCounted
      file: ./src/counter.ts
`,
    "schema.graphql": "type Note @entity(immutable: true) { id: Bytes!, value: BigInt! }\n",
    "abis/Counter.json": JSON.stringify([event("Counted", "uint256 number")]),
    "src/counter.ts": countingMapping(value),
  };
}
