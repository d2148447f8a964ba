import { BlockReceipts } from "./block-receipts.js";
import { BlockState } from "./block-state.js";
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
import { Fields, objectsOf } from "./fields.js";
import { areSameLog, clashesOf, clashText, inOrder, LogClashError } from "./log-order.js";
import { type Header, HeaderForm } from "./proof/header-form.js";
import { CallTraces } from "./rpc/call-traces.js";
import {
  type DecodedBlock,
  decodeBlock,
  decodeHeaderOf,
  decodeLogs,
  decodePointer,
  decodeReceipt,
} from "./rpc/decode-block.js";
import type { CallKind } from "./rpc/decode-trace.js";
import { ListLimits } from "./rpc/list-limits.js";
import { LogRanges } from "./rpc/log-ranges.js";
import { type LogsRequest, logsRequests, mergeLogs } from "./rpc/logs-request.js";
import type { RequestOptions, RpcClient } from "./rpc/rpc-client.js";
import {
  type Refusal,
  RpcError,
  saysListsTooLong,
  saysNullRound,
  saysRangeTooWide,
  saysTooManyLogs,
} from "./rpc-errors.js";

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
const getBlock = "eth_getBlockByNumber";
const getLogs = "eth_getLogs";
const defaultReadGas = 50_000_000n;
/** Failed attempts at a query for several blocks before its range is split. */
const rangeStrain = 2;

/** Nodes report a range that is too wide in too many ways to list: any refusal may mean it. */
const several: RequestOptions = { strain: rangeStrain, refusals: rangeStrain, tells: () => true };
const isTooMuch = ({ reason }: Refusal): boolean =>
  saysTooManyLogs(reason) || saysRangeTooWide(reason) || saysListsTooLong(reason).length > 0;

/** Creates a chain that reads from a node. */
export function createRpcChain(client: RpcClient, options: RpcChainOptions = {}): Chain {
  const state = new BlockState(
    client,
    options.readGas === null ? undefined : (options.readGas ?? defaultReadGas),
  );
  const { addressesPerQuery = 500 } = options;
  const receipts = new BlockReceipts(client);
  const traces = new CallTraces(client, options.callKinds ?? allKinds);
  const form = new HeaderForm();
  const lists = new ListLimits();
  const blockAt = async (number: number): Promise<Block | undefined | null> => {
    const again = (): Promise<DecodedBlock | undefined | null> => fetchBlock(client, number);
    const first = await again();
    const found = first ?? (await again());
    // One node of a pool may not have the block yet, and another may have a replaced chain: only two equal answers
    // count.
    if (!found) return first === found ? found : undefined;
    const header = (other: number): Promise<Header | undefined> => fetchHeader(client, other);
    const { block, unpriced } = await form.judge(found, { again, header });
    return unpriced.length === 0 ? block : withPrices(client, block, unpriced);
  };
  return {
    head: async () => decodePointer(getBlock, await client.request(getBlock, ["latest", false])),
    block: blockAt,
    blocks: (numbers) => Promise.all(numbers.map(blockAt)),
    logs: createLogs(client, addressesPerQuery, lists),
    logsOf: (block, filter) => fetchLogsOf(client, block, filter, addressesPerQuery, lists),
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

async function fetchBlock(client: RpcClient, number: number): Promise<DecodedBlock | undefined | null> {
  const answer = await askBlock(client, number, true);
  if (answer === "null round") return null;
  if (answer === null) return undefined;
  const found = decodeBlock(getBlock, answer);
  if (found.block.number === number) return found;
  throw new NonsenseError(
    `${getBlock}: invalid answer from the node: asked for block ${number}, got ${found.block.number}`,
  );
}

async function fetchHeader(client: RpcClient, number: number): Promise<Header | undefined> {
  const answer = await askBlock(client, number, false);
  return answer === null || answer === "null round" ? undefined : decodeHeaderOf(getBlock, answer);
}

/** The node's answer to the question for a block. */
async function askBlock(client: RpcClient, number: number, isWhole: boolean): Promise<unknown> {
  try {
    const parameters = [`0x${number.toString(16)}`, isWhole];
    return await client.request(getBlock, parameters, { tells: ({ reason }) => saysNullRound(reason) });
  } catch (error) {
    if (error instanceof RpcError && saysNullRound(error.reason)) return "null round";
    throw error;
  }
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
  if (answer === null) return undefined;
  const receipt = decodeReceipt(method, answer);
  if (receipt.transactionHash === transaction) return receipt;
  throw new NonsenseError(
    `${method}: invalid answer from the node: asked for transaction ${transaction}, got the receipt of ${receipt.transactionHash}`,
  );
}

function createLogs(client: RpcClient, addressesPerQuery: number, lists: ListLimits): Chain["logs"] {
  const ranges = new LogRanges();
  return async (from: number, to: number, filter: LogFilter, cut?: LogCut) => {
    const queries = logsRequests(filter, addressesPerQuery);
    if (queries.length === 0) return [];
    const ask = async (first: number, last: number): Promise<readonly Log[]> => {
      if (cut && first === last && first !== to && first % 2 !== cut.ends) {
        for (const query of queries.keys()) cut.onTail(query, first, last);
        const block = await pointerAt(client, first);
        return block ? fetchLogsOf(client, block, filter, addressesPerQuery, lists) : [];
      }
      const found = await Promise.all(
        queries.map((query) =>
          inParts(query, lists, first === last, (part) => fetchLogs(client, first, last, part)),
        ),
      );
      // Each answer may have been truncated, so the parts of a query end with the shortest of them.
      for (const [query, parts] of found.entries())
        cut?.onTail(query, Math.min(...parts.map((logs) => lastBlockOf(logs) ?? first)), last);
      return mergeLogs(found.flat());
    };
    // If a node accepts only narrow ranges, one bad answer from a pool would discard all others.
    const askAgain = (first: number, last: number): Promise<readonly Log[]> =>
      ask(first, last).catch((error: unknown) => {
        if (error instanceof NonsenseError) return ask(first, last);
        throw error;
      });
    return (await ranges.each(from, to, askAgain, cut?.ends)).flat();
  };
}

/** The answers to a query, which is split if the node accepts only shorter lists of addresses and topics. */
async function inParts(
  query: LogsRequest,
  lists: ListLimits,
  isNarrowest: boolean,
  ask: (part: LogsRequest) => Promise<readonly Log[]>,
): Promise<readonly (readonly Log[])[]> {
  const askPart = async (part: LogsRequest): Promise<readonly (readonly Log[])[]> => {
    try {
      const logs = await ask(part);
      lists.accept(part);
      return [logs];
    } catch (error) {
      const [first, ...rest] = lists.refuse(part, error, isNarrowest) ?? [];
      if (!first) throw error;
      // One after the other until a length is taken, so that a node that refuses all of them is asked a few times.
      const found = await askPart(first);
      return [...found, ...(await askParts(rest.flatMap((other) => lists.split(other))))];
    }
  };
  const askParts = async (parts: readonly LogsRequest[]): Promise<readonly (readonly Log[])[]> =>
    (await Promise.all(parts.map(askPart))).flat();
  return askParts(lists.split(query));
}

function lastBlockOf(logs: readonly Log[]): number | undefined {
  let last: number | undefined;
  for (const { block } of logs) if (last === undefined || block.number > last) last = block.number;
  return last;
}

/** `undefined` where the chain has no block with this number. */
async function pointerAt(client: RpcClient, number: number): Promise<BlockPointer | undefined> {
  const answer = await askBlock(client, number, false);
  return answer === "null round" ? undefined : decodePointer(getBlock, answer);
}

async function fetchLogs(
  client: RpcClient,
  from: number,
  to: number,
  query: LogsRequest,
): Promise<readonly Log[]> {
  const filter = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}`, ...filterOf(query) };
  const answer = await client.request(getLogs, [filter], from === to ? { tells: isTooMuch } : several);
  const logs = await readLogs(client, answer);
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
  lists: ListLimits,
): Promise<readonly Log[]> {
  const queries = filter
    ? logsRequests(filter, addressesPerQuery)
    : [{ addresses: [], topics: undefined } satisfies LogsRequest];
  const ask = async (query: LogsRequest): Promise<readonly Log[]> => {
    const parameters = [{ blockHash: block.hash, ...filterOf(query) }];
    return readLogs(client, await client.request(getLogs, parameters, { tells: isTooMuch }));
  };
  const found = await Promise.all(queries.map((query) => inParts(query, lists, true, ask)));
  const logs = mergeLogs(found.flat());
  if (logs.every((log) => log.block.hash === block.hash)) return logs;
  throw new ReorgError(`${getLogs}: asked for block ${block.hash}, got logs of a different block`);
}

/**
 * The logs of an answer. If two of them have the same key, the receipt of their transaction shows whether the node
 * repeats a log, or the chain gives several logs one key.
 * @throws LogClashError for two logs with one key; NonsenseError when the receipt lacks one of two different logs
 */
async function readLogs(client: RpcClient, answer: unknown): Promise<readonly Log[]> {
  const logs = decodeLogs(objectsOf(getLogs, answer));
  const clashes = clashesOf(logs);
  for (const [one, other] of clashes) {
    const { transactionHash, logIndex, block } = one;
    const clash = clashText([one, other]);
    const receipt = await fetchReceipt(client, transactionHash).catch((error: unknown) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    });
    const isOfBlock = receipt?.block.hash === block.hash;
    const same = isOfBlock ? receipt.logs.filter((log) => log.logIndex === logIndex).length : 0;
    if (same > 1) throw new LogClashError(clash);
    if (same === 0 || !areSameLog(one, other)) throw new NonsenseError(`${getLogs}: ${clash}`);
  }
  return clashes.length === 0 ? logs : inOrder(logs);
}

function filterOf({ addresses, topics }: LogsRequest): object {
  return { ...(topics && { topics: [topics] }), ...(addresses.length > 0 && { address: addresses }) };
}
