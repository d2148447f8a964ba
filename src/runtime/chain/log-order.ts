import { groupBy } from "../../base/group-by.js";
import { type BlockPointer, ChainError, type Log } from "./chain.js";

const noTransaction = `0x${"0".repeat(64)}`;

/**
 * Identifies a log within its chain: its block, its transaction and its index. The index alone is not enough, because
 * some chains number the logs of each transaction from 0.
 */
export function logKey(log: Log): string {
  return `${log.block.hash} ${transactionOf(log)} ${log.logIndex}`;
}

/** The transaction of a log. For logs without one, which have the zero hash, its index may still differ. */
function transactionOf({ transactionHash, transactionIndex }: Log): string {
  return transactionHash === noTransaction ? `${transactionIndex}` : transactionHash;
}

/** Whether a log belongs to a block as a whole. Such logs have no transaction, or the block's hash in its place. */
export function isOutsideTransactions({
  transactionHash,
  block,
}: {
  readonly transactionHash: string;
  readonly block: BlockPointer;
}): boolean {
  return transactionHash === noTransaction || transactionHash === block.hash;
}

/** Whether two logs have the same name. */
export function haveSameKey(one: Log, other: Log): boolean {
  return (
    one.logIndex === other.logIndex &&
    one.transactionHash === other.transactionHash &&
    one.block.hash === other.block.hash &&
    (one.transactionHash !== noTransaction || one.transactionIndex === other.transactionIndex)
  );
}

/** Whether two logs are the same: in name and in content. */
export function areSameLog(one: Log, other: Log): boolean {
  return (
    haveSameKey(one, other) &&
    one.address === other.address &&
    one.data === other.data &&
    one.topics.length === other.topics.length &&
    one.topics.every((topic, index) => topic === other.topics[index])
  );
}

/** The logs that a list does not have as they are, in their order. Takes time linear in both. */
export function logsNotIn(known: readonly Log[], logs: readonly Log[]): readonly Log[] {
  const byKey = groupBy(known, logKey);
  return logs.filter((log) => !byKey.get(logKey(log))?.some((one) => areSameLog(one, log)));
}

/**
 * Whether logs of one block, in any order, are numbered per transaction: two transactions share an index, or a later
 * transaction has a lower one.
 */
export function areNumberedByTransaction(logs: readonly LogPlace[]): boolean {
  return !follow([...logs].sort(byIndex));
}

/** The position of a log in its block. */
export type LogPlace = Pick<Log, "logIndex" | "transactionIndex" | "transactionHash" | "block">;

/** Whether logs are in the order of a block that numbers its logs as a whole. A log may be repeated. */
function follow(logs: readonly LogPlace[]): boolean {
  let last: LogPlace | undefined;
  for (const log of logs) {
    if (isOutsideTransactions(log)) continue;
    if (last && last.transactionIndex !== log.transactionIndex) {
      if (last.transactionIndex > log.transactionIndex || last.logIndex >= log.logIndex) return false;
    }
    last = log;
  }
  return true;
}

/**
 * Logs in the order of their blocks, and in each block in the order in which they were emitted: by index, or by
 * transaction and index where the chain numbers the logs of each transaction. Returns a repeated log once. Different
 * logs with the same key stay, in the order given.
 */
export function inOrder(logs: readonly Log[]): readonly Log[] {
  if (isInOrder(logs)) return logs;
  const sorted = [...logs].sort((one, other) => one.block.number - other.block.number || byIndex(one, other));
  const all: Log[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start + 1;
    while (end < sorted.length && sorted[end]?.block.number === sorted[start]?.block.number) end++;
    const own = distinct(sorted.slice(start, end));
    if (!follow(own)) own.sort(byTransaction);
    for (const log of own) all.push(log);
    start = end;
  }
  return all;
}

/** Whether logs ascend without a repetition, in blocks that number their logs as a whole: nearly always. */
function isInOrder(logs: readonly Log[]): boolean {
  for (let index = 1; index < logs.length; index++) {
    const [before, log] = [logs[index - 1] as Log, logs[index] as Log];
    if (before.block.number < log.block.number) continue;
    if (before.block.number > log.block.number || before.logIndex >= log.logIndex) return false;
    // Logs outside of transactions have any transaction index.
    if (before.transactionIndex > log.transactionIndex) return false;
  }
  return true;
}

function distinct(logs: readonly Log[]): Log[] {
  const known = new Map<string, Log[]>();
  return logs.filter((log) => {
    const key = logKey(log);
    const same = known.get(key);
    if (same?.some((other) => areSameLog(log, other))) return false;
    if (same) same.push(log);
    else known.set(key, [log]);
    return true;
  });
}

function byIndex(one: LogPlace, other: LogPlace): number {
  return one.logIndex - other.logIndex || one.transactionIndex - other.transactionIndex;
}

function byTransaction(one: LogPlace, other: LogPlace): number {
  return one.transactionIndex - other.transactionIndex || one.logIndex - other.logIndex;
}

/** Two logs of one name, different or not; `undefined` when each has its own. */
export function clashOf(logs: readonly Log[]): readonly [Log, Log] | undefined {
  return clashesOf(logs)[0];
}

/** Pairs of logs of one name, at most one for each transaction. */
export function clashesOf(logs: readonly Log[]): readonly (readonly [Log, Log])[] {
  if (isAscending(logs)) return [];
  const known = new Map<string, Log>();
  const clashes = new Map<string, readonly [Log, Log]>();
  for (const log of logs) {
    const key = logKey(log);
    const twin = known.get(key);
    if (twin) clashes.set(`${log.block.hash} ${log.transactionHash}`, [twin, log]);
    else known.set(key, log);
  }
  return [...clashes.values()];
}

/** Whether each log comes after the previous one, by block, transaction and index, so that no log is repeated. */
function isAscending(logs: readonly Log[]): boolean {
  for (let index = 1; index < logs.length; index++) {
    const [before, log] = [logs[index - 1] as Log, logs[index] as Log];
    if ((log.block.number - before.block.number || byTransaction(log, before)) <= 0) return false;
  }
  return true;
}

/** Two different logs have the same key. Such a chain cannot be indexed, because one log would replace the other. */
export class LogClashError extends ChainError {
  override readonly name = "LogClashError";
}

/** "block 5 lists two logs with index 0 of transaction 0x…: one of 0x… with the topics …, and …" */
export function clashText([one, other]: readonly [Log, Log]): string {
  const { block, transactionHash, logIndex } = one;
  return `block ${block.number} has two logs with index ${logIndex} of transaction ${transactionHash}: ${describeLog(one)}, and ${describeLog(other)}. graphloom cannot tell them apart. Use a node that numbers the logs of a transaction`;
}

function describeLog({ address, topics, data }: Log): string {
  const shown = data.length > 74 ? `${data.slice(0, 74)}…` : data;
  return `one of ${address} with the topics [${topics.join(", ")}] and the data ${shown}`;
}
