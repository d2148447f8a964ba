import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Platform } from "../platform.js";
import { peekCaller } from "./roles.js";

/**
 * Logs a line for each answer, and counts it: the caller, the request, the status and the duration. The line contains
 * neither keys nor query strings. Requests that pages make on their own are logged at the level debug.
 */
export function logAnswers(app: FastifyInstance, { meters }: Pick<Platform, "meters">): void {
  app.addHook("onResponse", async (request, reply) => {
    const caller = peekCaller(request);
    // Events stay open for as long as somebody reads them, which says nothing about the server.
    const isOfEvents = String(reply.getHeader("content-type")).startsWith("text/event-stream");
    if (!isOfEvents)
      meters?.answered({
        method: request.method,
        route: request.routeOptions.url ?? "none",
        status: reply.statusCode,
        seconds: reply.elapsedTime / 1000,
      });
    const level = isPassing(request) && reply.statusCode < 400 ? "debug" : "info";
    request.log[level](
      {
        client: request.ip,
        method: request.method,
        path: loggedPath(request),
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...(caller && { project: caller.project, [caller.kind]: caller.id }),
      },
      "answered",
    );
  });
}

/** Whether a page made the request on its own: for an asset, or to hear of its changes. */
function isPassing({ method, headers, routeOptions }: FastifyRequest): boolean {
  const { isAsset = false, isPage = false } = routeOptions.config;
  return method === "GET" && (isAsset || (isPage && headers["graphloom-renewal"] !== undefined));
}

/** The path of a request; the route's pattern if the path contains a token. */
function loggedPath({ url, routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.url?.includes("/:token") ? routeOptions.url : withoutTokens(url.split("?")[0] ?? "");
}

/** A path without keys and tokens, which would stay usable even in a path that does not exist. */
export function withoutTokens(path: string): string {
  return path
    .replace(/^(\/+(?:invitations|password)\/+)[^/]+/i, "$1:token")
    .replaceAll(/\b(gl[a-z]?)(?:_|%5f)[\w%-]{8,}/gi, "$1_…");
}
