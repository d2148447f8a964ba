import type { FastifyReply, FastifyRequest } from "fastify";
import { nestsDeeper } from "../../base/text/json-depth.js";
import { Problem } from "../problem.js";
import type { EncodedAnswer } from "./encoded.js";

/** The headers of every answer. */
export const everyOrigin = { "access-control-allow-origin": "*" } as const;

/** What graph-node allows pages of other origins to send. */
export const graphNodeCors = {
  ...everyOrigin,
  "access-control-allow-headers": "Content-Type, User-Agent",
  "access-control-allow-methods": "GET, OPTIONS, POST",
} as const;

/** What pages of other origins may send to the addresses of a project, including keys and headers that clients add. */
export const projectCors = {
  ...everyOrigin,
  "access-control-allow-headers": "*, Authorization, Content-Type, User-Agent",
  "access-control-allow-methods": "GET, OPTIONS, POST",
  "access-control-max-age": "7200",
} as const;

/** The source of an answer, as in the header `Cache-Status` (RFC 9211). */
export function cacheStatus({ from }: Pick<EncodedAnswer, "from">): string {
  if (from === "memory") return "graphloom; hit";
  return from === "shared" ? "graphloom; fwd=miss; collapsed" : "graphloom; fwd=miss";
}

/** Sends the answer to a query. */
export function sendAnswer(
  reply: FastifyReply,
  { status, bytes, headers }: EncodedAnswer,
  cors: Readonly<Record<string, string>> = graphNodeCors,
): FastifyReply {
  return sendJson(
    reply.headers(status === 200 ? { ...cors, ...headers } : { ...headers, ...everyOrigin }),
    status,
    bytes,
  );
}

/** Sends JSON with graph-node's content type, which names no encoding. */
export function sendJson(reply: FastifyReply, status: number, body: string | Buffer): FastifyReply {
  return reply
    .status(status)
    .header("content-type", "application/json")
    .send(typeof body === "string" ? Buffer.from(body) : body);
}

/** Sends a client error in graph-node's form. */
export function sendMistake(reply: FastifyReply, error: string): FastifyReply {
  return sendJson(reply.headers(everyOrigin), 400, JSON.stringify({ error }));
}

/** The deepest nesting of a body: the levels of variables, and those around them. */
const deepest = 60;

/** The text of the body. @throws Problem `bad-request` when it is nested too deeply to be parsed */
export function bodyOf({ body }: FastifyRequest): string {
  if (typeof body !== "string") return "";
  if (!nestsDeeper(body, deepest)) return body;
  throw new Problem("bad-request", `The body is nested more than ${deepest} levels deep.`);
}
