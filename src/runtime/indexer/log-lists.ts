import type { BlockPointer, Log, LogFilter } from "../chain/chain.js";

/** Whether two lists contain the same logs of the same blocks. */
export function areAlike(one: readonly Log[], other: readonly Log[]): boolean {
  return (
    one.length === other.length &&
    one.every((log, index) => {
      const twin = other[index];
      return twin?.logIndex === log.logIndex && twin.block.hash === log.block.hash;
    })
  );
}

/** Whether a list of a block's logs includes all logs of another list. */
export function holdsAll(all: readonly Log[], some: readonly Log[]): boolean {
  const indexes = new Set(all.map(({ logIndex }) => logIndex));
  return some.every(({ logIndex }) => indexes.has(logIndex));
}

/** Whether logs are numbered from 0 without a gap. */
export function isNumbered(all: readonly Log[]): boolean {
  return all.every(({ logIndex }, index) => logIndex === index);
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
