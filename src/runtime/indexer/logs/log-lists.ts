import { groupBy } from "../../../base/group-by.js";
import type { BlockPointer, Log, LogFilter } from "../../chain/chain.js";
import { areSameLog, logKey } from "../../chain/log-order.js";

/** Whether two lists contain the same logs of the same blocks. */
export function areAlike(one: readonly Log[], other: readonly Log[]): boolean {
  return (
    one.length === other.length &&
    one.every((log, index) => {
      const twin = other[index];
      return twin !== undefined && areSameLog(log, twin);
    })
  );
}

/** Whether a list of a block's logs includes all logs of another list. */
export function holdsAll(all: readonly Log[], some: readonly Log[]): boolean {
  if (some.length === 0) return true;
  const known = groupBy(all, logKey);
  return some.every((log) => known.get(logKey(log))?.some((other) => areSameLog(log, other)) ?? false);
}

/** Whether the logs of a block are numbered from 0 without a gap: as a whole, or those of each transaction. */
export function isNumbered(all: readonly Log[]): boolean {
  return isNumberedAsWhole(all) || isNumberedByTransaction(all);
}

/** Whether the logs of a block are numbered from 0 without a gap as a whole. */
export function isNumberedAsWhole(all: readonly Log[]): boolean {
  return all.every(({ logIndex }, index) => logIndex === index);
}

function isNumberedByTransaction(all: readonly Log[]): boolean {
  let next = 0;
  let before: Log | undefined;
  for (const log of all) {
    if (before && before.transactionHash !== log.transactionHash) {
      if (before.transactionIndex >= log.transactionIndex) return false;
      next = 0;
    }
    if (log.logIndex !== next) return false;
    next++;
    before = log;
  }
  return true;
}

/** The logs that belong to a block, and not to a different block with its number. */
export function ownOf({ hash }: BlockPointer, logs: readonly Log[]): readonly Log[] {
  return logs.filter(({ block, removed }) => block.hash === hash && !removed);
}

/** Whether a log matches a filter. */
export function fitting(filter: LogFilter): (log: Log) => boolean {
  const entries = filter.map(({ addresses, topics }) => ({
    addresses: addresses.length === 0 ? undefined : new Set(addresses),
    topics: topics && new Set(topics),
  }));
  return ({ address, topics: [topic = ""] }) =>
    entries.some((entry) => (entry.topics?.has(topic) ?? true) && (entry.addresses?.has(address) ?? true));
}
