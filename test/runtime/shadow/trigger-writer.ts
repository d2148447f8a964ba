import { AbiCoder, type EventFragment, type FunctionFragment, getBytes, type ParamType } from "ethers";
import type { Block, CallTrace, Log, Receipt, Transaction } from "../../../src/runtime/chain/chain.js";
import { type EthereumValue, toEthereumValue, writeEthereumValue } from "./ethereum-values.js";
import { type ShadowMemory, TypeId } from "./shadow-memory.js";

/** A decoded parameter of a trigger. The name is empty when the ABI has none. */
export interface DecodedParameter {
  readonly name: string;
  readonly value: EthereumValue;
}

/** The block and transaction of a trigger. */
export interface TriggerPlace {
  readonly block: Block;
  readonly transaction: Transaction;
}

const coder = AbiCoder.defaultAbiCoder();
const isHashed = (type: ParamType): boolean =>
  type.isArray() || type.isTuple() || type.type === "bytes" || type.type === "string";

/** Decodes a log as graph-node does. Values that are only stored as a hash become 32 fixed bytes. */
export function decodeLog({ inputs }: EventFragment, { topics, data }: Log): DecodedParameter[] {
  const plain = [
    ...coder.decode(
      inputs.filter(({ indexed }) => !indexed),
      data,
    ),
  ];
  const indexed = topics.slice(1);
  return inputs.map((type) => {
    if (!type.indexed) return { name: type.name, value: toEthereumValue(type, plain.shift()) };
    const topic = indexed.shift() ?? "0x";
    if (isHashed(type)) return { name: type.name, value: { kind: "FIXED_BYTES", value: topic } };
    return { name: type.name, value: toEthereumValue(type, coder.decode([type], topic)[0]) };
  });
}

/** Decodes the inputs and outputs of a call. */
export function decodeTrace({ inputs, outputs }: FunctionFragment, trace: CallTrace) {
  const decode = (types: readonly ParamType[], data: string): DecodedParameter[] => {
    const values = [...coder.decode(types, data)];
    return types.map((type, i) => ({ name: type.name, value: toEthereumValue(type, values[i]) }));
  };
  return { inputs: decode(inputs, `0x${trace.input.slice(10)}`), outputs: decode(outputs, trace.output) };
}

/** Writes the structs that handlers receive. */
export class TriggerWriter {
  readonly #memory: ShadowMemory;

  constructor(memory: ShadowMemory) {
    this.#memory = memory;
  }

  /** @param receipt for handlers that require it */
  event(
    log: Log,
    { block, transaction }: TriggerPlace,
    parameters: readonly DecodedParameter[],
    receipt: Receipt | undefined,
  ): number {
    return this.#memory.struct(TypeId.Event, [
      this.#hex(log.address),
      this.#number(log.logIndex),
      this.#number(log.logIndex),
      0,
      this.#block(block),
      this.#transaction(transaction),
      this.#parameters(parameters),
      receipt ? this.#receipt(receipt) : 0,
    ]);
  }

  call(
    trace: CallTrace,
    { block, transaction }: TriggerPlace,
    inputs: readonly DecodedParameter[],
    outputs: readonly DecodedParameter[],
  ): number {
    return this.#memory.struct(TypeId.Call, [
      this.#hex(trace.to),
      this.#hex(trace.from),
      this.#block(block),
      this.#transaction(transaction),
      this.#parameters(inputs),
      this.#parameters(outputs),
    ]);
  }

  #hex(text: string | null): number {
    return text === null ? 0 : this.#memory.bytes(getBytes(text));
  }

  #number(value: number | bigint | null): number {
    return value === null ? 0 : this.#memory.bigInt(BigInt(value));
  }

  #parameters(parameters: readonly DecodedParameter[]): number {
    const items = parameters.map(({ name, value }) => {
      const members = [this.#memory.string(name), writeEthereumValue(this.#memory, value)];
      return this.#memory.struct(TypeId.EventParam, members);
    });
    return this.#memory.array(TypeId.ArrayEventParam, items);
  }

  #block(block: Block): number {
    const hashes = [block.hash, block.parentHash, block.unclesHash, block.author];
    const roots = [block.stateRoot, block.transactionsRoot, block.receiptsRoot];
    const numbers = [block.number, block.gasUsed, block.gasLimit, block.timestamp];
    const rest = [block.difficulty, block.totalDifficulty, block.size, block.baseFeePerGas];
    return this.#memory.struct(TypeId.Block, [
      ...[...hashes, ...roots].map((hash) => this.#hex(hash)),
      ...[...numbers, ...rest].map((value) => this.#number(value)),
    ]);
  }

  #transaction(transaction: Transaction): number {
    return this.#memory.struct(TypeId.Transaction, [
      this.#hex(transaction.hash),
      this.#number(transaction.index),
      this.#hex(transaction.from),
      this.#hex(transaction.to),
      this.#number(transaction.value),
      this.#number(transaction.gasLimit),
      this.#number(transaction.gasPrice),
      this.#hex(transaction.input),
      this.#number(transaction.nonce),
    ]);
  }

  #receipt(receipt: Receipt): number {
    const logs = receipt.logs.map((log) => this.#log(log));
    return this.#memory.struct(TypeId.Receipt, [
      this.#hex(receipt.transactionHash),
      this.#number(receipt.transactionIndex),
      this.#hex(receipt.block.hash),
      this.#number(receipt.block.number),
      this.#number(receipt.cumulativeGasUsed),
      this.#number(receipt.gasUsed),
      this.#hex(receipt.contractAddress),
      this.#memory.array(TypeId.ArrayLog, logs),
      this.#number(receipt.status),
      this.#hex(receipt.root),
      this.#hex(receipt.logsBloom),
    ]);
  }

  #log(log: Log): number {
    const topics = log.topics.map((topic) => this.#hex(topic));
    return this.#memory.struct(TypeId.Log, [
      this.#hex(log.address),
      this.#memory.array(TypeId.ArrayBytes, topics),
      this.#hex(log.data),
      this.#hex(log.block.hash),
      this.#number(log.block.number),
      this.#hex(log.transactionHash),
      this.#number(log.transactionIndex),
      this.#number(log.logIndex),
      0,
      0,
      // A wrapped boolean that no mapping here reads.
      0,
    ]);
  }
}
