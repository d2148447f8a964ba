import { isRecord, parseJson } from "../../base/json-value.js";

/** What of JSON-RPC can be asked through an endpoint. */
const methods = /^(?:eth|net|web3|trace)_[A-Za-z0-9]+$|^debug_trace[A-Za-z]+$/;
/** Requests of one batch. */
export const mostCalls = 100;

/** A body of JSON-RPC, as far as it must be known to pass it on. */
export interface RpcBody {
  readonly calls: number;
  /** A method that is not passed on; the first one. */
  readonly refused?: string;
}

/** Reads a body. @returns nothing when it is no JSON-RPC */
export function readRpcBody(text: string): RpcBody | undefined {
  const json = parseJson(text);
  const calls = Array.isArray(json) ? json : [json];
  if (calls.length === 0) return undefined;
  let refused: string | undefined;
  for (const call of calls) {
    if (!isRecord(call) || typeof call.method !== "string") return undefined;
    if (!methods.test(call.method)) refused ??= call.method;
  }
  return { calls: calls.length, ...(refused !== undefined && { refused }) };
}

/** Whether an answer of JSON-RPC says that something went wrong, in how many of its parts. */
export function countErrors(text: string): number {
  const json = parseJson(text);
  const parts = Array.isArray(json) ? json : [json];
  return parts.filter((part) => !isRecord(part) || "error" in part).length;
}
