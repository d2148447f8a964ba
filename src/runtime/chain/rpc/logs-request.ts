import type { Log, LogFilter, LogFilterEntry } from "../chain.js";
import { inOrder } from "../log-order.js";

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

/** Merges the results of several requests, in order and without repetitions. */
export function mergeLogs(found: readonly (readonly Log[])[]): readonly Log[] {
  return inOrder(found.length === 1 ? (found[0] ?? []) : found.flat());
}
