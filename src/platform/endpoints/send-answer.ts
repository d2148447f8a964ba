import type { FastifyReply, FastifyRequest } from "fastify";
import { nestsDeeper } from "../../base/json-depth.js";
import { Problem } from "../problem.js";
import type { EncodedAnswer } from "./encoded.js";

/** Of all answers to all browsers. */
export const everyOrigin = { "access-control-allow-origin": "*" } as const;

/** What graph-node lets pages of other origins send. */
export const graphNodeCors = {
  ...everyOrigin,
  "access-control-allow-headers": "Content-Type, User-Agent",
  "access-control-allow-methods": "GET, OPTIONS, POST",
} as const;

/** What pages of other origins may send to the addresses of a project: also keys, and what clients add by themselves. */
export const projectCors = {
  ...everyOrigin,
  "access-control-allow-headers": "*, Authorization, Content-Type, User-Agent",
  "access-control-allow-methods": "GET, OPTIONS, POST",
  "access-control-max-age": "7200",
} as const;

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

/** Sends JSON under graph-node's name for it, which says nothing of an encoding. */
export function sendJson(reply: FastifyReply, status: number, body: string | Buffer): FastifyReply {
  return reply
    .status(status)
    .header("content-type", "application/json")
    .send(typeof body === "string" ? Buffer.from(body) : body);
}

/** Sends what somebody did wrong, in graph-node's form. */
export function sendMistake(reply: FastifyReply, error: string): FastifyReply {
  return sendJson(reply.headers(everyOrigin), 400, JSON.stringify({ error }));
}

/** Levels of a body: those of variables, and what is around them. */
const deepest = 60;

/** The text that was sent. @throws Problem `bad-request` for what is nested so deeply that it should not be read */
export function bodyOf({ body }: FastifyRequest): string {
  if (typeof body !== "string") return "";
  if (!nestsDeeper(body, deepest)) return body;
  throw new Problem("bad-request", `The body is nested more than ${deepest} levels deep.`);
}
