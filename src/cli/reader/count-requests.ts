import type { RpcClient } from "../../runtime/chain/rpc/rpc-client.js";
import type { MethodLoad } from "../../runtime/indexer/estimate-requests.js";

/** The requests that were sent so far. A request that the client repeats counts once. */
export interface RequestCounts {
  readonly total: number;
  /** Requests for the chain's id, its first block and its newest ones, which each run sends once. */
  readonly once: ReadonlyMap<string, MethodLoad>;
  /** All other requests by method. Bytes are only measured on demand. */
  readonly methods: ReadonlyMap<string, MethodLoad>;
  /** Different logs in the answers to `eth_getLogs`; only counted on demand. */
  readonly logs: number;
  /** Different blocks of these logs. */
  readonly blocksWithLogs: number;
}

export interface CountedClient extends RpcClient {
  counts(): RequestCounts;
}

/** Counts the requests of a client by method. @param measures whether to also measure the answers */
export function countRequests(client: RpcClient, measures = false): CountedClient {
  let total = 0;
  const once = new Map<string, MethodLoad>();
  const methods = new Map<string, MethodLoad>();
  const logs = new Set<string>();
  const blocks = new Set<string>();
  return {
    counts: () => ({ total, once, methods, logs: logs.size, blocksWithLogs: blocks.size }),
    request: async (method, parameters, options) => {
      const loads = isSentOnce(method, parameters) ? once : methods;
      total += 1;
      add(loads, method, { calls: 1, bytes: 0 });
      const result = await client.request(method, parameters, options);
      if (measures) {
        add(loads, method, { calls: 0, bytes: JSON.stringify(result ?? null).length });
        if (method === "eth_getLogs") noteLogs(result, logs, blocks);
      }
      return result;
    },
  };
}

function add(loads: Map<string, MethodLoad>, method: string, { calls, bytes }: MethodLoad): void {
  const before = loads.get(method) ?? { calls: 0, bytes: 0 };
  loads.set(method, { calls: before.calls + calls, bytes: before.bytes + bytes });
}

/** Blocks by tag are the newest ones; block 0 identifies the chain. */
function isSentOnce(method: string, [block]: readonly unknown[]): boolean {
  if (method === "eth_chainId") return true;
  if (method === "eth_blockNumber") return true;
  return method === "eth_getBlockByNumber" && !/^0x[1-9a-f]/.test(String(block));
}

function noteLogs(result: unknown, logs: Set<string>, blocks: Set<string>): void {
  if (!Array.isArray(result)) return;
  for (const { blockHash, transactionHash, logIndex } of result as readonly Readonly<
    Record<string, unknown>
  >[]) {
    logs.add(`${String(blockHash)} ${String(transactionHash)} ${String(logIndex)}`);
    blocks.add(String(blockHash));
  }
}
