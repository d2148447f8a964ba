import { type EventFragment, Interface, id } from "ethers";
import type { Block, Chain, Log, Transaction } from "../../../src/runtime/chain/chain.js";
import type { BuiltSubgraph } from "../../../src/subgraph/runnable/built-subgraph.js";

/** An event of the first data source: its name and its arguments in ethers' form. */
export interface PlayedEvent {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A log of the simulated chain: an event in ethers' form, emitted by an address. */
export interface PlayedLog {
  readonly address: string;
  readonly event: EventFragment;
  readonly args: readonly unknown[];
}

/** A chain whose last block is the first data source's start block, with one event. Every contract reverts. */
export function playedChain({ dataSources: [source] }: BuiltSubgraph, { name, args }: PlayedEvent): Chain {
  if (!source?.address) throw new Error("there is no data source with an address");
  const { address, abis, abi, startBlock } = source;
  const event = new Interface(abis.get(abi)?.text ?? "[]").getEvent(name);
  if (!event) throw new Error(`there is no event ${name}`);
  return playedLogs(startBlock, [{ address, event, args }]);
}

/** A chain whose last block has one transaction, which emitted these logs, from index 3. Every contract reverts. */
export function playedLogs(number: number, played: readonly PlayedLog[]): Chain {
  const pointer = { number, hash: id(`block ${number}`) };
  const transactionHash = id("transaction");
  const place = { block: pointer, transactionHash, transactionIndex: 0, removed: false };
  const logs = played.map(({ address, event, args }, at): Log => {
    const encoded = new Interface([event]).encodeEventLog(event, args);
    return { address, ...place, logIndex: 3 + at, ...encoded };
  });
  const transactions = new Map(logs.slice(0, 1).map((log) => [transactionHash, transactionOf(log)]));
  const block = { ...pointer, ...emptyBlock, transactions };
  const at = (wanted: number): Block | undefined => (wanted === number ? block : undefined);
  return {
    head: async () => pointer,
    block: async (wanted) => at(wanted),
    blocks: async (wanted) => wanted.flatMap((one) => at(one) ?? []),
    logs: async () => logs,
    logsOf: async () => logs,
    calls: async () => [],
    receipt: async () => undefined,
    read: async (_, reads) => reads.map(() => ({ kind: "reverted" })),
    balance: async () => 0n,
    code: async () => "0x",
  };
}

const zeroHash = `0x${"0".repeat(64)}`;
const zeroAddress = `0x${"0".repeat(40)}`;
const emptyBlock = {
  parentHash: zeroHash,
  unclesHash: zeroHash,
  author: zeroAddress,
  stateRoot: zeroHash,
  transactionsRoot: zeroHash,
  receiptsRoot: zeroHash,
  gasUsed: 0n,
  gasLimit: 0n,
  timestamp: 0n,
  difficulty: 0n,
  totalDifficulty: 0n,
  size: null,
  baseFeePerGas: null,
};

function transactionOf({ transactionHash, transactionIndex, address }: Log): Transaction {
  return {
    hash: transactionHash,
    index: transactionIndex,
    from: zeroAddress,
    to: address,
    value: 0n,
    gasLimit: 0n,
    gasPrice: 0n,
    input: "0x",
    nonce: 0n,
  };
}
