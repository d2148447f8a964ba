import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import {
  type Block,
  type BlockPointer,
  type Chain,
  type Log,
  ReorgError,
} from "../../../src/runtime/chain/chain.js";
import { manifestPath } from "../../../src/subgraph/build.js";
import type { BuiltFiles } from "../../../src/subgraph/runnable/built-subgraph.js";
import { playBlocks } from "../../../src/testing/json/play-blocks.js";
import { encodeLog } from "../../support/chain/encode-log.js";

/** An event `E(op, id, n, b)` of the contract with a name. */
type RecordedEvent = readonly [op: string, id: string, n: string, b: string, contract: string];
type RecordedBlock = readonly [number: number, timestamp: number, events: readonly RecordedEvent[]];
/** A run of a handler of a composed subgraph: the entity that it received, the source's hash, and its context. */
export type Handled = readonly [
  block: number,
  run: number,
  handler: string,
  entity: string,
  source: string,
  who?: string,
];

interface Recorded {
  /** The blocks with events, and those of the branch that was replaced. */
  readonly chain: {
    readonly addresses: Readonly<Record<string, string>>;
    readonly head: number;
    readonly blocks: readonly RecordedBlock[];
    readonly replaced: {
      readonly from: number;
      readonly to: number;
      readonly blocks: readonly RecordedBlock[];
    };
  };
  readonly modules: Readonly<Record<"source" | "composed", string>>;
  readonly schemas: Readonly<Record<"source" | "composed", string>>;
  readonly abi: readonly object[];
  readonly manifests: Readonly<Record<string, object>>;
  /** The hashes of the manifests, as they were deployed. */
  readonly deployments: Readonly<Record<string, string>>;
  readonly handled: Readonly<Record<string, readonly Handled[]>>;
  /** Blocks that changed the proof of indexing, and its digest from there on. */
  readonly digests: Readonly<Record<string, readonly (readonly [block: number, digest: string])[]>>;
}

/** Subgraphs with other subgraphs as sources, as a graph-node 0.44 indexed them. */
export const recorded: Recorded = JSON.parse(
  readFileSync(new URL("recorded-compositions.json", import.meta.url), "utf8"),
);

/** The hash by which a build was deployed. */
export function deploymentOf(name: string): string {
  const found = recorded.deployments[name];
  if (found === undefined) throw new Error(`${name} was not recorded`);
  return found;
}

/** The files of a build. @param change changes its manifest */
export function filesOf(name: string, change: (manifest: string) => string = (same) => same): BuiltFiles {
  const kind = name.startsWith("S") ? "source" : "composed";
  return {
    manifest: manifestPath,
    files: new Map<string, string | Uint8Array>([
      [manifestPath, change(JSON.stringify(recorded.manifests[name]))],
      ["schema.graphql", recorded.schemas[kind]],
      ["A.json", JSON.stringify(recorded.abi)],
      ["m.wasm", inflateSync(Buffer.from(recorded.modules[kind], "base64"))],
    ]),
  };
}

type Branch = "old" | "new";

/** The recorded chain, up to a head that a test moves, on one of its two branches. */
export class RecordedBranches implements Chain {
  #head: number;
  #branch: Branch;
  /** What happens each time a block is asked for. */
  onBlock: (number: number) => Promise<void> = async () => undefined;

  constructor(head: number, branch: Branch = "new") {
    this.#head = head;
    this.#branch = branch;
  }

  moveTo(head: number, branch: Branch): void {
    this.#head = head;
    this.#branch = branch;
  }

  async head(): Promise<BlockPointer> {
    return this.#pointer(this.#head);
  }

  async block(number: number): Promise<Block | undefined> {
    await this.onBlock(number);
    if (number > this.#head) return undefined;
    const mocked = {
      number: BigInt(number),
      events: [],
      ethCalls: [],
      getBalanceCalls: [],
      hasCodeCalls: [],
    };
    const [played] = playBlocks({ blocks: [mocked] }, number).blocks;
    if (!played) throw new Error("no block was played");
    const { hash } = this.#pointer(number);
    const logs = this.#logsAt(number);
    const zero = { value: 0n, gasLimit: 0n, gasPrice: 0n, nonce: 0n };
    return {
      ...played.block,
      hash,
      parentHash: this.#pointer(number - 1).hash,
      timestamp: BigInt(this.#blockAt(number)?.[1] ?? 1_700_000_000 + number * 600),
      transactions: new Map(
        logs.map(({ transactionHash, transactionIndex: index, address }) => [
          transactionHash,
          { hash: transactionHash, index, from: address, to: address, input: "0x", ...zero },
        ]),
      ),
    };
  }

  blocks(numbers: readonly number[]): Promise<readonly (Block | undefined)[]> {
    return Promise.all(numbers.map((number) => this.block(number)));
  }

  async logs(from: number, to: number): Promise<readonly Log[]> {
    const numbers = Array.from(
      { length: Math.max(0, Math.min(to, this.#head) - from + 1) },
      (_, at) => from + at,
    );
    return numbers.flatMap((number) => this.#logsAt(number));
  }

  async logsOf({ number, hash }: BlockPointer): Promise<readonly Log[]> {
    if (this.#pointer(number).hash !== hash) throw new ReorgError(`block ${number} was replaced`);
    return this.#logsAt(number);
  }

  readonly calls = unused;
  readonly receipt = unused;
  readonly read = unused;
  readonly balance = unused;
  readonly code = unused;

  #isReplaced(number: number): boolean {
    return this.#branch === "old" && number >= recorded.chain.replaced.from;
  }

  #pointer(number: number): BlockPointer {
    const digits = `${this.#isReplaced(number) ? "b" : "a"}${number.toString(16).padStart(63, "0")}`;
    return { number, hash: `0x${digits}` };
  }

  #blockAt(wanted: number): RecordedBlock | undefined {
    const { blocks, replaced } = recorded.chain;
    return (this.#isReplaced(wanted) ? replaced.blocks : blocks).find(([number]) => number === wanted);
  }

  #logsAt(number: number): readonly Log[] {
    const block = this.#pointer(number);
    return (this.#blockAt(number)?.[2] ?? []).map(([op, id, n, b, contract], index) => ({
      ...encodeLog(["event E(string op, string id, int256 n, bytes b)"], "E", [op, id, n, b]),
      address: recorded.chain.addresses[contract] ?? "",
      block,
      transactionHash: `0x${(number * 1_000 + index).toString(16).padStart(64, "0")}`,
      transactionIndex: index,
      logIndex: index,
      removed: false,
    }));
  }
}

async function unused(): Promise<never> {
  throw new Error("the recorded mappings ask for nothing else");
}
