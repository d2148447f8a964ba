import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { type Anvil, type Contract, callOf, type Sending } from "../../../support/chain/anvil.js";
import { compileContract } from "../../../support/chain/solidity.js";
import { asc } from "../../../support/compiler/asc.js";
import { assemble } from "../../wasm/probe.js";
import type { Emitters, RandomEvent, RandomSubgraph } from "./random-subgraph.js";

/** The blocks with events of each random subgraph. */
export const blockCount = 20;
/** The most events of one transaction, so that its gas suffices. */
const eventsAtOnce = 25;

export const emitter = compileContract(
  `contract Emitter {
    function height() external view returns (uint256) { return block.number; }
    function emitAll(bytes32[] calldata topics, bytes[] calldata datas) external {
      for (uint256 i; i < topics.length; i++) {
        bytes memory data = abi.encode(datas[i]);
        bytes32 topic = topics[i];
        assembly { log1(add(data, 32), mload(data), topic) }
      }
    }
  }`,
  "Emitter",
);

/** The contracts whose events random subgraphs follow. */
export type Contracts = Readonly<Record<keyof Emitters, Contract>>;

/** The transactions that emit events, in their order. */
function sendingsOf(events: readonly RandomEvent[], contracts: Contracts): readonly Sending[] {
  const groups: RandomEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    if (last && last.length < eventsAtOnce && last[0]?.emitter === event.emitter) last.push(event);
    else groups.push([event]);
  }
  return groups.map((group) => {
    const datas = group.map(({ data }) => `0x${Buffer.from(data).toString("hex")}`);
    const contract = contracts[group[0]?.emitter ?? "main"];
    return callOf(contract, "emitAll", [group.map(({ topic }) => topic), datas]);
  });
}

/** Mines the blocks of all subgraphs. @returns the hash of each block of the chain, by number */
export async function mine(
  chain: Anvil,
  contracts: Contracts,
  subgraphs: readonly RandomSubgraph[],
): Promise<readonly string[]> {
  for (let index = 0; index < blockCount; index++) {
    const events = subgraphs.flatMap(({ blocks }) => blocks[index] ?? []);
    const receipts = await chain.inOneBlock(sendingsOf(events, contracts));
    expect(receipts.filter(({ status }) => status !== "0x1")).toEqual([]);
  }
  const hashes: string[] = [];
  for (let number = await chain.blockNumber(); number >= 0; number--) {
    const at = `0x${number.toString(16)}`;
    const { hash } = await chain.rpc<{ readonly hash: string }>("eth_getBlockByNumber", at, false);
    hashes.unshift(hash);
  }
  return hashes;
}

/** Returns a function that makes the files of builds of random subgraphs. */
export async function fileMaker(): Promise<
  (subgraph: RandomSubgraph) => ReadonlyMap<string, string | Uint8Array>
> {
  const wasm = await assemble(readFileSync(new URL("./script.as", import.meta.url), "utf8"), asc);
  return ({ manifest, schema, abi }) =>
    new Map<string, string | Uint8Array>([
      ["subgraph.yaml", manifest],
      ["schema.graphql", schema],
      ["E.json", JSON.stringify(abi)],
      ["mapping.wasm", wasm],
    ]);
}
