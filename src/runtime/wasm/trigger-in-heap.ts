import type { Block, Log, Receipt, Transaction } from "../chain/chain.js";
import type { CallTrigger, DecodedParameter, EventTrigger, Trigger } from "../values.js";
import { writeEntity } from "./entity-in-heap.js";
import { writeEthereumValue } from "./ethereum-in-heap.js";
import type { Heap } from "./heap.js";
import { TypeId } from "./type-id.js";

/** Writes the argument of a handler. */
export function writeTrigger(heap: Heap, trigger: Trigger): number {
  if (trigger.kind === "file") return heap.bytes(trigger.content);
  if (trigger.kind === "block") return writeBlock(heap, trigger.block);
  if (trigger.kind === "entity") return writeEntity(heap, trigger.entity);
  return trigger.kind === "event" ? writeEvent(heap, trigger) : writeCall(heap, trigger);
}

function writeEvent(heap: Heap, { log, block, transaction, params, receipt }: EventTrigger): number {
  const logIndex = heap.int(log.logIndex);
  return heap.struct(TypeId.Event, [
    heap.hex(log.address),
    logIndex,
    // Nodes no longer return the log index within the transaction. As in graph-node, the index within the block is
    // repeated.
    heap.int(log.logIndex),
    0,
    writeBlock(heap, block),
    writeTransaction(heap, transaction),
    writeParameters(heap, params),
    receipt ? writeReceipt(heap, receipt) : 0,
  ]);
}

function writeCall(heap: Heap, { call, block, transaction, inputs, outputs }: CallTrigger): number {
  return heap.struct(TypeId.Call, [
    heap.hex(call.to),
    heap.hex(call.from),
    writeBlock(heap, block),
    writeTransaction(heap, transaction),
    writeParameters(heap, inputs),
    writeParameters(heap, outputs),
  ]);
}

function writeParameters(heap: Heap, parameters: readonly DecodedParameter[]): number {
  const items = parameters.map(({ name, value }) => {
    const members = [heap.string(name), writeEthereumValue(heap, value)];
    return heap.struct(TypeId.EventParam, members);
  });
  return heap.array(TypeId.ArrayEventParam, items);
}

function writeBlock(heap: Heap, block: Block): number {
  return heap.struct(TypeId.Block, [
    heap.hex(block.hash),
    heap.hex(block.parentHash),
    heap.hex(block.unclesHash),
    heap.hex(block.author),
    heap.hex(block.stateRoot),
    heap.hex(block.transactionsRoot),
    heap.hex(block.receiptsRoot),
    heap.int(block.number),
    heap.bigInt(block.gasUsed),
    heap.bigInt(block.gasLimit),
    heap.bigInt(block.timestamp),
    heap.bigInt(block.difficulty),
    heap.bigInt(block.totalDifficulty),
    block.size === null ? 0 : heap.bigInt(block.size),
    block.baseFeePerGas === null ? 0 : heap.bigInt(block.baseFeePerGas),
  ]);
}

function writeTransaction(heap: Heap, transaction: Transaction): number {
  return heap.struct(TypeId.Transaction, [
    heap.hex(transaction.hash),
    heap.int(transaction.index),
    heap.hex(transaction.from),
    transaction.to === null ? 0 : heap.hex(transaction.to),
    heap.bigInt(transaction.value),
    heap.bigInt(transaction.gasLimit),
    heap.bigInt(transaction.gasPrice),
    heap.hex(transaction.input),
    heap.bigInt(transaction.nonce),
  ]);
}

function writeReceipt(heap: Heap, receipt: Receipt): number {
  const logs = receipt.logs.map((log) => writeLog(heap, log));
  return heap.struct(TypeId.Receipt, [
    heap.hex(receipt.transactionHash),
    heap.int(receipt.transactionIndex),
    heap.hex(receipt.block.hash),
    heap.int(receipt.block.number),
    heap.bigInt(receipt.cumulativeGasUsed),
    heap.bigInt(receipt.gasUsed),
    receipt.contractAddress === null ? 0 : heap.hex(receipt.contractAddress),
    heap.array(TypeId.ArrayLog, logs),
    receipt.status === null ? 0 : heap.bigInt(receipt.status),
    receipt.root === null ? 0 : heap.hex(receipt.root),
    heap.hex(receipt.logsBloom),
  ]);
}

function writeLog(heap: Heap, log: Log): number {
  const topics = log.topics.map((topic) => heap.hex(topic));
  return heap.struct(TypeId.Log, [
    heap.hex(log.address),
    heap.array(TypeId.ArrayBytes, topics),
    heap.hex(log.data),
    heap.hex(log.block.hash),
    heap.int(log.block.number),
    heap.hex(log.transactionHash),
    heap.int(log.transactionIndex),
    heap.int(log.logIndex),
    0,
    0,
    heap.wrappedBool(log.removed),
  ]);
}
