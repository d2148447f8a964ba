import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Shorter answers do not get smaller. */
const leastCompressed = 1_024;

const [packGzip, packBrotli] = [promisify(gzip), promisify(brotliCompress)];

/** Headers for pages of other origins. Requests carry their key in a header or in the address, and never a cookie. */
const forPages = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "*",
};

/** Lets pages of any origin read answers. @returns whether the request was a preflight */
export function answerPages(request: FastifyRequest, reply: FastifyReply): boolean {
  reply.headers(forPages);
  const isQuestion =
    request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
  if (!isQuestion) return false;
  reply
    .status(204)
    .headers({
      "access-control-allow-methods": "GET, HEAD",
      "access-control-allow-headers": "authorization, x-api-key, if-none-match",
      "access-control-max-age": "86400",
    })
    .send();
  return true;
}

/**
 * Gives an answer in JSON an ETag, and compresses it as the client allows.
 * @returns what to send; `undefined` for an answer that the client has already
 */
export async function finishAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> {
  // The explorer makes its page later.
  const isJson = String(reply.getHeader("content-type") ?? "").startsWith("application/json");
  const isText = typeof payload === "string" || Buffer.isBuffer(payload);
  if (!isJson || !isText || payload.length === 0) return payload;
  const varies = [reply.getHeader("vary")].flat().filter((each) => each !== undefined);
  reply.header("vary", [...varies, "accept-encoding"].join(", "));
  if (reply.statusCode === 200) {
    const tag = `W/"${createHash("sha256").update(payload).digest("base64url").slice(0, 27)}"`;
    reply.header("etag", tag);
    const known = (request.headers["if-none-match"] ?? "").split(",").map((each) => each.trim());
    if (known.includes(tag) || known.includes(tag.slice(2)) || known.includes("*")) {
      reply.status(304).removeHeader("content-length");
      return "";
    }
  }
  if (payload.length < leastCompressed) return payload;
  const encoding = encodingFor([request.headers["accept-encoding"]].flat().join(","));
  if (encoding === undefined) return payload;
  reply.header("content-encoding", encoding).removeHeader("content-length");
  // The best compression takes longer than it saves.
  return encoding === "br"
    ? packBrotli(payload, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
    : packGzip(payload);
}

/** Which of the two encodings a client prefers, by its header `accept-encoding`. */
function encodingFor(header: string): "br" | "gzip" | undefined {
  const weights = new Map(
    header.split(",").map((part) => {
      const [name = "", ...parameters] = part.split(";").map((each) => each.trim().toLowerCase());
      const weight = parameters.find((each) => each.startsWith("q="))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  const weightOf = (name: string): number => weights.get(name) ?? weights.get("*") ?? 0;
  const [br, gzipped] = [weightOf("br"), weightOf("gzip")];
  if (br > 0 && br >= gzipped) return "br";
  return gzipped > 0 ? "gzip" : undefined;
}
