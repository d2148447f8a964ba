import { Interface, id, toBeHex } from "ethers";
import type { Block, CallTrace, Log, Receipt, Transaction } from "../../../src/runtime/chain/chain.js";
import { encodeLog } from "../../support/chain/encode-log.js";
import type { Contracts } from "./played-contracts.js";

/** A block of a made-up chain: its triggers, and what contracts answer at that block. */
export interface PlayedBlock {
  readonly block: Block;
  /** By log index. */
  readonly logs: readonly Log[];
  /** In the order in which they started. */
  readonly calls: readonly CallTrace[];
  readonly contracts: Contracts;
}

/** Options of a trigger, beside its contents. */
export interface Place {
  /** Hash of the transaction. */
  readonly transaction?: string;
}

/** Options of a log, which may also set its index in the block. */
export interface LogPlace extends Place {
  readonly logIndex?: number;
}

interface OpenBlock {
  readonly block: Block;
  readonly transactions: Map<string, Transaction>;
  readonly logs: Log[];
  readonly calls: CallTrace[];
  contracts: Contracts;
}

const firstBlock = 100;
const gasPerTransaction = 54_321n;

/** The blocks of a chain that a test makes up. The last one is open and receives the next triggers. */
export class PlayedBlocks {
  readonly #blocks: OpenBlock[] = [openBlock(firstBlock, () => undefined)];

  /** All blocks, the open one included. The first has the number 100. */
  get all(): readonly PlayedBlock[] {
    return this.#blocks;
  }

  /** Closes the open block. Contracts give the same answers in the next one. */
  endBlock(): void {
    const { block, contracts } = this.#open;
    this.#blocks.push(openBlock(block.number + 1, contracts));
  }

  /** Sets what contracts answer in the open block. @throws Error when the block already has a trigger */
  answerWith(contracts: Contracts): void {
    const { logs, calls } = this.#open;
    if (logs.length + calls.length > 0) throw new Error("contracts answer the same within a block");
    this.#open.contracts = contracts;
  }

  /** Emits a log with these values, ABI-encoded. Its index is the next one unless an option sets it. */
  emit(
    abi: readonly string[],
    address: string,
    event: string,
    values: readonly unknown[],
    { logIndex, ...place }: LogPlace = {},
  ): void {
    const { logs, block } = this.#open;
    const index = logIndex ?? (logs.at(-1)?.logIndex ?? -1) + 1;
    if (logs.some((log) => log.logIndex >= index)) throw new Error(`a log ${index} cannot come now`);
    const pointer = { number: block.number, hash: block.hash };
    const own = { address: address.toLowerCase(), logIndex: index, removed: false };
    const contents = encodeLog(abi, event, values);
    logs.push({ ...own, ...contents, block: pointer, ...this.#transaction(address, place) });
  }

  /** Calls a function with these arguments, which returns `outputs`. */
  call(
    abi: readonly string[],
    address: string,
    name: string,
    inputs: readonly unknown[],
    outputs: readonly unknown[] = [],
    place: Place = {},
  ): void {
    const contract = new Interface(abi);
    const input = contract.encodeFunctionData(name, inputs);
    const output = contract.encodeFunctionResult(name, outputs);
    const call = { from: toBeHex(0xf0, 20), to: address.toLowerCase(), input, output };
    this.#open.calls.push({ ...call, ...this.#transaction(address, place) });
  }

  get #open(): OpenBlock {
    const last = this.#blocks.at(-1);
    if (!last) throw new Error("a chain has a block");
    return last;
  }

  #transaction(to: string, { transaction: hash = id("transaction") }: Place) {
    const { transactions } = this.#open;
    const found = transactions.get(hash) ?? transactionOf(hash, 3 + transactions.size, to.toLowerCase());
    transactions.set(hash, found);
    return { transactionHash: hash, transactionIndex: found.index };
  }
}

/** The receipt of a successful transaction of a block. */
export function receiptOf({ block, logs }: PlayedBlock, hash: string): Receipt | undefined {
  const transaction = block.transactions.get(hash);
  return (
    transaction && {
      transactionHash: hash,
      transactionIndex: transaction.index,
      block: { number: block.number, hash: block.hash },
      cumulativeGasUsed: 99_999n,
      gasUsed: gasPerTransaction,
      contractAddress: null,
      logs: logs.filter(({ transactionHash }) => transactionHash === hash),
      status: 1n,
      root: null,
      logsBloom: `0x${"00".repeat(256)}`,
    }
  );
}

function openBlock(number: number, contracts: Contracts): OpenBlock {
  const transactions = new Map<string, Transaction>();
  const block: Block = {
    number,
    hash: id(`hash ${number}`),
    parentHash: id(`hash ${number - 1}`),
    unclesHash: id(`uncles ${number}`),
    author: toBeHex(0xa, 20),
    stateRoot: id(`state ${number}`),
    transactionsRoot: id(`transactions ${number}`),
    receiptsRoot: id(`receipts ${number}`),
    gasUsed: 12_000_000n,
    gasLimit: 30_000_000n,
    timestamp: 1_600_000_000n + BigInt(number) * 12n,
    difficulty: 0n,
    totalDifficulty: 0n,
    size: 4096n,
    baseFeePerGas: 7n,
    transactions,
  };
  return { block, transactions, logs: [], calls: [], contracts };
}

function transactionOf(hash: string, index: number, to: string): Transaction {
  return {
    hash,
    index,
    from: toBeHex(0xf, 20),
    to,
    value: 5n,
    gasLimit: 100_000n,
    gasPrice: 9n,
    input: "0x12345678",
    nonce: 17n,
  };
}
