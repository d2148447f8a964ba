import { isRecord, parseJson } from "../../base/text/json-value.js";
import { type RpcCall, readCalls } from "../../rpc/rpc-calls.js";

/**
 * The methods that endpoints forward: reads, and transactions that their sender has signed. Web pages contain the keys
 * of endpoints. Therefore endpoints forward nothing that spends or signs with the node's accounts
 * (`eth_sendTransaction`, `eth_sign`, `eth_accounts`), leaves state on the node (filters, subscriptions), or makes it
 * execute whole blocks again (`debug_*`, `trace_*`).
 */
const passed: ReadonlySet<string> = new Set([
  "eth_baseFee",
  "eth_blobBaseFee",
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_createAccessList",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getAccount",
  "eth_getAccountInfo",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockReceipts",
  "eth_getBlockTransactionCountByHash",
  "eth_getBlockTransactionCountByNumber",
  "eth_getCode",
  "eth_getHeaderByHash",
  "eth_getHeaderByNumber",
  "eth_getLogs",
  "eth_getProof",
  "eth_getRawTransactionByBlockHashAndIndex",
  "eth_getRawTransactionByBlockNumberAndIndex",
  "eth_getRawTransactionByHash",
  "eth_getStorageAt",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_getUncleByBlockHashAndIndex",
  "eth_getUncleByBlockNumberAndIndex",
  "eth_getUncleCountByBlockHash",
  "eth_getUncleCountByBlockNumber",
  "eth_maxPriorityFeePerGas",
  "eth_protocolVersion",
  "eth_sendRawTransaction",
  "eth_simulateV1",
  "eth_syncing",
  "net_listening",
  "net_peerCount",
  "net_version",
  "web3_clientVersion",
  "web3_sha3",
]);

/** The most requests in one batch. */
export const mostCalls = 100;

/** A JSON-RPC body, split into the requests for the nodes and the refusals of the others. */
export interface SiftedBody {
  readonly isList: boolean;
  /** The number of all requests in the body. */
  readonly size: number;
  /** The number of requests that are forwarded. */
  readonly calls: number;
  /** The body with only the forwarded requests; absent when there are none. */
  readonly passed?: string;
  /** The answers to requests that are not forwarded and have an id. */
  readonly refusals: readonly string[];
}

/** Reads a body. @returns `undefined` if it is not JSON-RPC */
export function readRpcBody(text: string): SiftedBody | undefined {
  const body = readCalls(text);
  if (!body || body.calls.length === 0) return undefined;
  const { isList } = body;
  const passed: string[] = [];
  const refusals: string[] = [];
  for (const call of body.calls) {
    if (call.method === undefined) refusals.push(refusal(call.id, -32600, "This is not a JSON-RPC request."));
    else if (isPassedOn(call.method)) passed.push(written(call));
    else if (call.id !== undefined) refusals.push(refusal(call.id, -32601, notPassedOn(call.method)));
  }
  const list = isList ? `[${passed.join()}]` : passed[0];
  const size = body.calls.length;
  return { isList, size, calls: passed.length, refusals, ...(passed.length > 0 && { passed: list }) };
}

/**
 * Returns the answer to a body.
 * @param answered the nodes' answer to the forwarded requests; empty when they were all notifications
 * @returns `undefined` if all requests were notifications
 */
export function answerToBody({ isList, refusals }: SiftedBody, answered: Uint8Array): Buffer | undefined {
  if (refusals.length === 0) return answered.length === 0 ? undefined : Buffer.from(answered);
  if (!isList) return Buffer.from(refusals.join());
  const own = Buffer.from(`${refusals.join()}]`);
  // The answers to a batch may have any order. The nodes' answers come first, unchanged except for the last bracket.
  if (answered.length === 0) return Buffer.concat([Buffer.from("["), own]);
  return Buffer.concat([answered.subarray(0, -1), Buffer.from(","), own]);
}

/** Counts the errors in a JSON-RPC answer. */
export function countErrors(text: string): number {
  const json = parseJson(text);
  const parts = Array.isArray(json) ? json : [json];
  return parts.filter((part) => !isRecord(part) || "error" in part).length;
}

function written({ id, method, params }: RpcCall): string {
  const given = params === undefined ? "" : `,"params":${JSON.stringify(params)}`;
  return `{"jsonrpc":"2.0"${id === undefined ? "" : `,"id":${id}`},"method":${JSON.stringify(method)}${given}}`;
}

function notPassedOn(method: string): string {
  return `Endpoints do not forward the method ${JSON.stringify(method.slice(0, 100))}.`;
}

/** @param id JSON */
function refusal(id: string, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`;
}

/** Whether a JSON-RPC method is forwarded to nodes. */
function isPassedOn(method: string): boolean {
  return passed.has(method);
}
