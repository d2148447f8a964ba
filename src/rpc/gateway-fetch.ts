import type { World } from "../base/world.js";
import type { NodeAnswer } from "./node-address.js";

/**
 * A node's answer as a `Response`.
 * @throws the error with which `fetch` rejects if there is no answer
 */
function responseOf({ status, bytes, retryAfter, silence }: NodeAnswer): Response {
  if (silence) throw silenceOf(silence, new TextDecoder().decode(bytes));
  const headers = retryAfter === undefined ? {} : { "retry-after": retryAfter };
  // Responses with these statuses have no body, so they are not JSON-RPC.
  const known = status < 200 || [204, 205, 304].includes(status) ? 503 : status;
  return new Response(Buffer.from(bytes), { status: known, headers });
}

/** The error with which `fetch` rejects if there is no answer. */
function silenceOf(silence: NonNullable<NodeAnswer["silence"]>, why: string): Error {
  if (silence === "late") return new DOMException(why, "TimeoutError");
  return silence === "closed" ? Object.assign(new Error(why), { code: "ECONNRESET" }) : new Error(why);
}

/**
 * A `fetch` that sends every body to the nodes, regardless of the address.
 * @param answer receives the signal of the request
 */
export function fetchOf(
  answer: (body: string, signal: AbortSignal | undefined) => Promise<NodeAnswer>,
): World["fetch"] {
  return async (_, { body, signal }) => responseOf(await answer(String(body), signal ?? undefined));
}
