import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import { policyOf } from "../http/frame.js";
import { documentOf, type PageLayout } from "./layout.js";

/** Sends a page that must not be cached. A page that renews itself is compressed. */
export async function sendPage(reply: FastifyReply, page: PageLayout): Promise<FastifyReply> {
  const text = documentOf(page, reply.request.url.split("?")[0] ?? "/");
  reply
    .headers({
      "content-security-policy": policyOf(page.formTarget),
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    .type("text/html; charset=utf-8");
  if (!page.isLive) return reply.send(text);
  reply.header("vary", "accept, accept-encoding");
  // Pages that renew themselves contain no secrets, which their compressed length could reveal.
  if (!/\bgzip\b/.test(String(reply.request.headers["accept-encoding"]))) return reply.send(text);
  return reply.header("content-encoding", "gzip").send(await promisify(gzip)(text));
}
