import { isRecord, parseJson } from "../base/text/json-value.js";
import { splitAnswers } from "./split-answers.js";

/** A JSON-RPC call as received. */
export interface RpcCall {
  /** The JSON of the caller's id, of any type; absent for a notification, which gets no answer. */
  readonly id?: string;
  readonly method: string;
  /** A list or an object; absent if the caller sent none. */
  readonly params: unknown;
}

/** An element of a body that is not a call, with the JSON of its id. */
export interface InvalidCall {
  readonly id: string;
  readonly method?: never;
}

export interface RpcBody {
  /** Whether it was a batch. */
  readonly isList: boolean;
  readonly calls: readonly (RpcCall | InvalidCall)[];
}

/** Deeper parameters are refused, because serialisation is recursive. */
const deepest = 32;

/**
 * Parses the body of a request.
 * @returns `undefined` for a body that is not JSON
 */
export function readCalls(text: string): RpcBody | undefined {
  const json = parseJson(text);
  if (json === undefined) return undefined;
  const isList = Array.isArray(json);
  const elements: readonly unknown[] = isList ? json : [json];
  // `JSON.parse` rounds large numbers, but a caller must get its id back as written.
  const written = splitAnswers(new TextEncoder().encode(text));
  return { isList, calls: elements.map((element, index) => callOf(element, written?.[index]?.id)) };
}

function callOf(element: unknown, written: string | undefined): RpcCall | InvalidCall {
  if (!isRecord(element)) return { id: "null" };
  const id = idOf(element, written);
  const { method, params } = element;
  const isCall =
    typeof method === "string" && areParameters(params) && (id !== undefined || !("id" in element));
  if (!isCall) return { id: id ?? "null" };
  return { ...(id !== undefined && { id }), method, params };
}

function idOf(element: Readonly<Record<string, unknown>>, written: string | undefined): string | undefined {
  const { id } = element;
  if (id === undefined || nests(id, deepest)) return undefined;
  return typeof id === "number" && Number(written) === id ? written : JSON.stringify(id);
}

function areParameters(value: unknown): boolean {
  return value === undefined || ((Array.isArray(value) || isRecord(value)) && !nests(value, deepest));
}

/** Whether a value is nested deeper than allowed. Looks no deeper. */
function nests(value: unknown, allowed: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return allowed === 0 || Object.values(value).some((each) => nests(each, allowed - 1));
}
