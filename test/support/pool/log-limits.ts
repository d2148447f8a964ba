import type { Wording } from "../chain/node-wordings.js";
import { type RangeRefusal, rangeRefusals } from "../chain/range-refusals.js";
import type { Draw } from "./draw.js";
import type { Call } from "./faults.js";

/** How much nodes give in one answer to a query of logs. */
export interface LogLimits {
  readonly blocks: number;
  /** How they refuse more: one provider, or several in turn. */
  readonly refusals: readonly RangeRefusal[];
}

/** Refusals without a word about logs, as servers before a node send them. */
const statuses: readonly RangeRefusal[] = [
  { name: "503", status: 503, body: "<html>busy</html>" },
  { name: "429", status: 429, body: "Too Many Requests" },
  { name: "408", status: 408, body: "" },
  { name: "413", status: 413, body: "<html>413 Request Entity Too Large</html>" },
  { name: "403", status: 403, body: "<html>403 Forbidden</html>" },
];
const all = [...rangeRefusals, ...statuses];

/** The limits of a seed's nodes. Many have none. */
export function drawLimits(draw: Draw): LogLimits | undefined {
  if (draw.happens(0.5)) return undefined;
  const blocks = draw.one([1, 2, 3, 5, 8]);
  return { blocks, refusals: draw.happens(0.7) ? [draw.one(all)] : all };
}

/** Whether a request asks for the logs of more blocks than a node allows. */
export function isTooWide({ method, params }: Call, { blocks }: LogLimits): boolean {
  if (method !== "eth_getLogs") return false;
  const { fromBlock, toBlock } = (params[0] ?? {}) as Readonly<Record<string, string | undefined>>;
  return fromBlock !== undefined && Number(toBlock) - Number(fromBlock) + 1 > blocks;
}

/** The JSON-RPC error of a refusal. */
export function errorOf({ code = 0, message = "", data }: RangeRefusal): Wording {
  return { code, message, ...(data !== undefined && { data }) };
}

/** A whole answer with another HTTP status. */
export function refusedExchange(refusal: RangeRefusal, call: Call | undefined): Response {
  const { status = 200, body } = refusal;
  if (body !== undefined) return new Response(body, { status });
  const answer = { jsonrpc: "2.0", id: call?.id ?? null, error: errorOf(refusal) };
  return new Response(JSON.stringify(answer), { status });
}
