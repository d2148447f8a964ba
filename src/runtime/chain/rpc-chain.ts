import { BlockReceipts } from "./block-receipts.js";
import { BlockState } from "./block-state.js";
import { CallTraces } from "./call-traces.js";
import {
  type Block,
  type BlockPointer,
  type Chain,
  type Log,
  type LogCut,
  type LogFilter,
  NonsenseError,
  type Receipt,
  ReorgError,
} from "./chain.js";
import { decodeBlock, decodeLogs, decodePointer, decodeReceipt } from "./decode-block.js";
import type { CallKind } from "./decode-trace.js";
import { Fields, objectsOf } from "./fields.js";
import { LogRanges } from "./log-ranges.js";
import { type LogsRequest, logsRequests, mergeLogs } from "./logs-request.js";
import type { RequestOptions, RpcClient } from "./rpc-client.js";
import { type Refusal, saysRangeTooWide, saysTooManyLogs } from "./rpc-errors.js";

export interface RpcChainOptions {
  /** Gas limit of a contract read; `null` for the node's own limit. Default: 50 million, as in graph-node. */
  readonly readGas?: bigint | null;
  /** Maximum number of addresses in one `eth_getLogs` request. Default: 500. */
  readonly addressesPerQuery?: number;
  /** Kinds of calls that `calls` returns. Default: all, as in graph-node. */
  readonly callKinds?: readonly CallKind[];
}

/** graph-node ignores the kind of a call. */
const allKinds: readonly CallKind[] = ["call", "delegatecall", "staticcall", "callcode"];
const getLogs = "eth_getLogs";
const defaultReadGas = 50_000_000n;
/** Strained attempts at a query for several blocks before its range is split. */
const rangeStrain = 2;

/** Nodes report a range that is too wide in too many ways to list: any refusal may mean it. */
const several: RequestOptions = { strain: rangeStrain, tells: () => true };
const isTooMuch = ({ reason }: Refusal): boolean => saysTooManyLogs(reason) || saysRangeTooWide(reason);

/** Creates a chain that reads from a node. */
export function createRpcChain(client: RpcClient, options: RpcChainOptions = {}): Chain {
  const state = new BlockState(
    client,
    options.readGas === null ? undefined : (options.readGas ?? defaultReadGas),
  );
  const { addressesPerQuery = 500 } = options;
  const receipts = new BlockReceipts(client);
  const traces = new CallTraces(client, options.callKinds ?? allKinds);
  const blockAt = (number: number): Promise<Block | undefined> => fetchBlock(client, number);
  return {
    head: async () => {
      const method = "eth_getBlockByNumber";
      return decodePointer(method, await client.request(method, ["latest", false]));
    },
    block: blockAt,
    blocks: (numbers) => Promise.all(numbers.map(blockAt)),
    logs: createLogs(client, addressesPerQuery),
    logsOf: (block, filter) => fetchLogsOf(client, block, filter, addressesPerQuery),
    calls: (block, filter) => traces.find(block, filter),
    traces: (block) => traces.all(block),
    receipt: (transaction) => fetchReceipt(client, transaction),
    receipts: (block) => receipts.find(block),
    rawReceipts: (block) => receipts.findRaw(block),
    read: (block, reads) => Promise.all(reads.map((read) => state.call(block, read))),
    balance: (block, address) => state.balance(block, address),
    code: (block, address) => state.code(block, address),
  };
}

async function fetchBlock(client: RpcClient, number: number): Promise<Block | undefined> {
  const method = "eth_getBlockByNumber";
  const answer = await client.request(method, [`0x${number.toString(16)}`, true]);
  if (answer === null) return undefined;
  const { block, unpriced } = decodeBlock(method, answer);
  if (block.number !== number) {
    throw new NonsenseError(
      `${method}: invalid answer from the node: asked for block ${number}, got ${block.number}`,
    );
  }
  return unpriced.length === 0 ? block : withPrices(client, block, unpriced);
}

/** Fills in the gas prices of transactions from their receipts. */
async function withPrices(client: RpcClient, block: Block, hashes: readonly string[]): Promise<Block> {
  const method = "eth_getTransactionReceipt";
  const transactions = new Map(block.transactions);
  await Promise.all(
    hashes.map(async (hash) => {
      const answer = await client.request(method, [hash]);
      if (answer === null) throw new ReorgError(`${method}: the node no longer knows transaction ${hash}`);
      const receipt = new Fields(method, answer);
      const transaction = transactions.get(hash);
      if (transaction) {
        transactions.set(hash, { ...transaction, gasPrice: receipt.quantity("effectiveGasPrice") });
      }
    }),
  );
  return { ...block, transactions };
}

async function fetchReceipt(client: RpcClient, transaction: string): Promise<Receipt | undefined> {
  const method = "eth_getTransactionReceipt";
  const answer = await client.request(method, [transaction]);
  return answer === null ? undefined : decodeReceipt(method, answer);
}

function createLogs(client: RpcClient, addressesPerQuery: number): Chain["logs"] {
  const ranges = new LogRanges();
  return async (from: number, to: number, filter: LogFilter, cut?: LogCut) => {
    const queries = logsRequests(filter, addressesPerQuery);
    if (queries.length === 0) return [];
    const ask = async (first: number, last: number): Promise<readonly Log[]> => {
      if (cut && first === last && first !== to && first % 2 !== cut.ends) {
        for (const query of queries.keys()) cut.onTail(query, first, last);
        return fetchLogsOf(client, await pointerAt(client, first), filter, addressesPerQuery);
      }
      const found = await Promise.all(queries.map((query) => fetchLogs(client, first, last, query)));
      for (const [query, logs] of found.entries()) cut?.onTail(query, lastBlockOf(logs) ?? first, last);
      return mergeLogs(found);
    };
    return (await ranges.each(from, to, ask, cut?.ends)).flat();
  };
}

function lastBlockOf(logs: readonly Log[]): number | undefined {
  let last: number | undefined;
  for (const { block } of logs) if (last === undefined || block.number > last) last = block.number;
  return last;
}

async function pointerAt(client: RpcClient, number: number): Promise<BlockPointer> {
  const method = "eth_getBlockByNumber";
  return decodePointer(method, await client.request(method, [`0x${number.toString(16)}`, false]));
}

async function fetchLogs(
  client: RpcClient,
  from: number,
  to: number,
  query: LogsRequest,
): Promise<readonly Log[]> {
  const filter = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}`, ...filterOf(query) };
  const answer = await client.request(getLogs, [filter], from === to ? { tells: isTooMuch } : several);
  const logs = decodeLogs(objectsOf(getLogs, answer));
  const stray = logs.find(({ block }) => block.number < from || block.number > to);
  if (!stray) return logs;
  throw new NonsenseError(
    `${getLogs}: invalid answer from the node: asked for blocks ${from} to ${to}, got a log of block ${stray.block.number}`,
  );
}

async function fetchLogsOf(
  client: RpcClient,
  block: BlockPointer,
  filter: LogFilter | undefined,
  addressesPerQuery: number,
): Promise<readonly Log[]> {
  const queries = filter ? logsRequests(filter, addressesPerQuery).map(filterOf) : [{}];
  const found = await Promise.all(
    queries.map(async (query) => {
      const parameters = [{ blockHash: block.hash, ...query }];
      const answer = await client.request(getLogs, parameters, { tells: isTooMuch });
      return decodeLogs(objectsOf(getLogs, answer));
    }),
  );
  const logs = mergeLogs(found);
  if (logs.every((log) => log.block.hash === block.hash)) return logs;
  throw new ReorgError(`${getLogs}: asked for block ${block.hash}, got logs of a different block`);
}

function filterOf({ addresses, topics }: LogsRequest): object {
  return { ...(topics && { topics: [topics] }), ...(addresses.length > 0 && { address: addresses }) };
}
