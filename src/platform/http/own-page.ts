import type { FastifyRequest } from "fastify";
import { Problem } from "../problem.js";

/**
 * Judges a request to a page before it is looked at who asks: forms have to come from a page of this server (CSRF), and
 * no database has a text with a zero byte, so that nothing can have such an address.
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
 * Whether the session of a browser counts for a route that is no page. What carries a key is judged by that. Reading
 * changes nothing, and pages of others cannot read what is answered; all else has to come from a page of this server, and
 * no other that a signed-in browser was led to: with JSON, which other pages cannot send before they were allowed to, and
 * by the browser's own word.
 */
export function isOfOwnPage({ method, headers, host }: FastifyRequest): boolean {
  if (headers.authorization !== undefined) return false;
  if (method === "GET" || method === "HEAD") return true;
  if (!/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return false;
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) return site === "same-origin";
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}
