import type { Log, LogFilter, LogFilterEntry } from "./chain.js";

/** The parameters of an `eth_getLogs` request, except the block range. Its lists mean the same as in a filter. */
export type LogsRequest = LogFilterEntry;

/**
 * The requests for a filter, each with at most the allowed number of addresses. An entry whose list of topics is empty
 * needs none.
 */
export function logsRequests(filter: LogFilter, mostAddresses: number): readonly LogsRequest[] {
  return filter
    .filter((entry) => entry.topics?.length !== 0)
    .flatMap(({ addresses, topics }) => {
      if (addresses.length === 0) return [{ addresses, topics }];
      const unique = [...new Set(addresses)];
      const parts = Math.ceil(unique.length / mostAddresses);
      return Array.from({ length: parts }, (_, part) => ({
        addresses: unique.slice(part * mostAddresses, (part + 1) * mostAddresses),
        topics,
      }));
    });
}

/** Merges the results of several requests, sorted by block and log index and without duplicates. */
export function mergeLogs(found: readonly (readonly Log[])[]): readonly Log[] {
  const all = found.flat();
  if (isSorted(all)) return all;
  all.sort(compare);
  return all.filter((log, index) => index === 0 || compare(all[index - 1] as Log, log) !== 0);
}

function isSorted(logs: readonly Log[]): boolean {
  for (let index = 1; index < logs.length; index++) {
    if (compare(logs[index - 1] as Log, logs[index] as Log) >= 0) return false;
  }
  return true;
}

function compare(one: Log, other: Log): number {
  return one.block.number - other.block.number || one.logIndex - other.logIndex;
}
