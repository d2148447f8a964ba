import type { FastifyRequest } from "fastify";
import { Problem } from "../problem.js";

/**
 * Checks a request to a page before its caller is identified. Forms must come from a page of this server (CSRF). URLs
 * must not contain a zero byte, because no database can store one.
 * @throws Problem
 */
export function checkPageRequest(request: FastifyRequest): void {
  if (/^[^?]*%00/.test(request.url)) throw new Problem("bad-request", "The address contains a zero byte.");
  if (request.method === "POST" && !isFromHere(request))
    throw new Problem("forbidden", "The form was not submitted from a page of this server.");
}

function isFromHere({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/**
 * Whether a browser session is valid for a route that is not a page. A key in the request takes precedence. Reading is
 * allowed: it changes nothing, and foreign pages cannot read the answer. Everything else must come from a page of this
 * server, not from a foreign page that a signed-in browser has opened. The request must therefore send JSON, which
 * foreign pages cannot send without a preflight, and the browser must confirm the origin.
 */
export function isOfOwnPage({ method, headers, host }: FastifyRequest): boolean {
  if (headers.authorization !== undefined) return false;
  if (method === "GET" || method === "HEAD") return true;
  if (!/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return false;
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) return site === "same-origin";
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}
