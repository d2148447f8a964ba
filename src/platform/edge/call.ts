import { isRecord, parseJson } from "../../base/json-value.js";
import { type RpcCall, readCalls } from "../../nodes/rpc-calls.js";
import { isPassedOn } from "./methods.js";

/** Requests of one batch. */
export const mostCalls = 100;

/** A body of JSON-RPC: what of it goes to nodes, and what is said to the rest. */
export interface SiftedBody {
  readonly isList: boolean;
  /** All requests of the body. */
  readonly size: number;
  /** How many of them are passed on. */
  readonly calls: number;
  /** The body with nothing but those; absent when there are none. */
  readonly passed?: string;
  /** The answers to those that are not passed on and have an id. */
  readonly refusals: readonly string[];
}

/** Reads a body. @returns nothing when it is no JSON-RPC */
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
 * The answer to a body.
 * @param answered what nodes said to what was passed on; no bytes when that was notifications
 * @returns nothing when there is nothing to say: all were notifications
 */
export function answerToBody({ isList, refusals }: SiftedBody, answered: Uint8Array): Buffer | undefined {
  if (refusals.length === 0) return answered.length === 0 ? undefined : Buffer.from(answered);
  if (!isList) return Buffer.from(refusals.join());
  const own = Buffer.from(`${refusals.join()}]`);
  // The order of the answers to a batch is of no matter; the nodes' come first, as they are, without their last bracket.
  if (answered.length === 0) return Buffer.concat([Buffer.from("["), own]);
  return Buffer.concat([answered.subarray(0, -1), Buffer.from(","), own]);
}

/** Whether an answer of JSON-RPC says that something went wrong, in how many of its parts. */
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
