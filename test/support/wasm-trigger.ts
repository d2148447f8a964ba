import {
  AbiCoder,
  concat,
  type EventFragment,
  type FunctionFragment,
  getBytes,
  Interface,
  id,
  keccak256,
  type ParamType,
  toBeHex,
} from "ethers";
import { TypeId, type WasmMemory } from "./wasm-memory.js";
import { type EthereumValue, toEthereumValue, writeEthereumValue } from "./wasm-values.js";

/** Where and when something happened. */
export interface Place {
  readonly address: string;
  /** Hash of the transaction. */
  readonly transaction: string;
  readonly block: number;
}

/** A log as a chain holds it. */
export interface Log extends Place {
  readonly logIndex: number;
  readonly topics: readonly string[];
  readonly data: string;
}

/** A call as a trace holds it. */
export interface Trace extends Place {
  readonly from: string;
  readonly input: string;
  readonly output: string;
}

/** A decoded parameter of a trigger; the name is empty when the ABI has none. */
export interface DecodedParameter {
  readonly name: string;
  readonly value: EthereumValue;
}

const coder = AbiCoder.defaultAbiCoder();
const isHashed = (type: ParamType): boolean =>
  type.isArray() || type.isTuple() || type.type === "bytes" || type.type === "string";

/** Topics and data of an event, from what Solidity's specification says of them. */
export function encodeLog(abi: readonly string[], event: string, values: readonly unknown[]) {
  const fragment = new Interface(abi).getEvent(event);
  if (!fragment) throw new Error(`no event ${event}`);
  const at = (indexed: boolean) =>
    fragment.inputs
      .map((type, i) => ({ type, value: values[i] }))
      .filter(({ type }) => Boolean(type.indexed) === indexed);
  const topics = at(true).map(({ type, value }) => topicOf(type, value));
  const data = coder.encode(
    at(false).map(({ type }) => type),
    at(false).map(({ value }) => value),
  );
  return { topics: [fragment.topicHash, ...topics], data };
}

/** The topic of an indexed value: the value itself, or the hash of its in-place encoding. */
export function topicOf(type: ParamType, value: unknown): string {
  if (!isHashed(type)) return coder.encode([type], [value]);
  if (type.type === "string") return id(value as string);
  if (type.type === "bytes") return keccak256(value as string);
  if (!type.isArray()) throw new Error("graph-node does not deliver indexed structs");
  return keccak256(concat((value as unknown[]).map((item) => coder.encode([type.arrayChildren], [item]))));
}

/** Decodes a log as graph-node does; what only a hash is left of comes as 32 fixed bytes. */
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
export function decodeTrace({ inputs, outputs }: FunctionFragment, trace: Trace) {
  const decode = (types: readonly ParamType[], data: string): DecodedParameter[] => {
    const values = [...coder.decode(types, data)];
    return types.map((type, i) => ({ name: type.name, value: toEthereumValue(type, values[i]) }));
  };
  return { inputs: decode(inputs, `0x${trace.input.slice(10)}`), outputs: decode(outputs, trace.output) };
}

/** The time of a block in seconds. */
export const timeOf = (block: number): number => 1_600_000_000 + block * 12;

/** The gas the one transaction of a receipt used. */
export const receiptGas = 54_321n;

/** Writes the structs handlers get. */
export class TriggerWriter {
  readonly #memory: WasmMemory;

  constructor(memory: WasmMemory) {
    this.#memory = memory;
  }

  event(log: Log, parameters: readonly DecodedParameter[], withReceipt: boolean): number {
    return this.#memory.struct(TypeId.Event, [
      this.#hex(log.address),
      this.#number(log.logIndex),
      this.#number(log.logIndex),
      0,
      this.#block(log.block),
      this.#transaction(log),
      this.#parameters(parameters),
      withReceipt ? this.#receipt(log) : 0,
    ]);
  }

  call(trace: Trace, inputs: readonly DecodedParameter[], outputs: readonly DecodedParameter[]): number {
    return this.#memory.struct(TypeId.Call, [
      this.#hex(trace.address),
      this.#hex(trace.from),
      this.#block(trace.block),
      this.#transaction(trace),
      this.#parameters(inputs),
      this.#parameters(outputs),
    ]);
  }

  #hex(text: string): number {
    return this.#memory.bytes(getBytes(text));
  }

  #number(value: number | bigint): number {
    return this.#memory.bigInt(BigInt(value));
  }

  #parameters(parameters: readonly DecodedParameter[]): number {
    const items = parameters.map(({ name, value }) => {
      const members = [this.#memory.string(name), writeEthereumValue(this.#memory, value)];
      return this.#memory.struct(TypeId.EventParam, members);
    });
    return this.#memory.array(TypeId.ArrayEventParam, items);
  }

  #hash(label: string): number {
    return this.#hex(id(label));
  }

  #block(block: number): number {
    const hashes = ["hash", "parent", "uncles"].map((label) => this.#hash(`${label} ${block}`));
    const roots = ["state", "transactions", "receipts"].map((label) => this.#hash(`${label} ${block}`));
    const author = this.#hex(toBeHex(0xa, 20));
    const [gasUsed, gasLimit] = [this.#number(12_000_000), this.#number(30_000_000)];
    const numbers = [this.#number(block), gasUsed, gasLimit, this.#number(timeOf(block))];
    const difficulties = [this.#number(0), this.#number(0)];
    const [size, baseFee] = [this.#number(4096), this.#number(7)];
    const members = [...hashes, author, ...roots, ...numbers, ...difficulties, size, baseFee];
    return this.#memory.struct(TypeId.Block, members);
  }

  #transaction({ transaction, address }: Place): number {
    return this.#memory.struct(TypeId.Transaction, [
      this.#hex(transaction),
      this.#number(3),
      this.#hex(toBeHex(0xf, 20)),
      this.#hex(address),
      this.#number(5),
      this.#number(100_000),
      this.#number(9),
      this.#hex("0x12345678"),
      this.#number(17),
    ]);
  }

  #receipt(log: Log): number {
    const blockHash = this.#hash(`hash ${log.block}`);
    const transaction = this.#hex(log.transaction);
    const shared = [blockHash, this.#number(log.block), transaction, this.#number(3)];
    const own = this.#memory.struct(TypeId.Log, [
      this.#hex(log.address),
      this.#memory.array(
        TypeId.ArrayBytes,
        log.topics.map((topic) => this.#hex(topic)),
      ),
      this.#hex(log.data),
      ...shared,
      this.#number(log.logIndex),
      0,
      0,
      0,
    ]);
    return this.#memory.struct(TypeId.Receipt, [
      transaction,
      this.#number(3),
      blockHash,
      this.#number(log.block),
      this.#number(99_999),
      this.#number(receiptGas),
      0,
      this.#memory.array(TypeId.ArrayLog, [own]),
      this.#number(1),
      0,
      this.#hex(`0x${"00".repeat(256)}`),
    ]);
  }
}
