import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Platform } from "../platform.js";
import { peekCaller } from "./roles.js";

/**
 * Logs a line for each answer, and counts it: who asked for what, what came of it, and how long it took. Neither keys
 * nor queries of addresses are in it. What pages load by themselves is logged on a more talkative level.
 */
export function logAnswers(app: FastifyInstance, { meters }: Pick<Platform, "meters">): void {
  app.addHook("onResponse", async (request, reply) => {
    const caller = peekCaller(request);
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

/** What pages load, and their looks for what is new, every other second: nobody wants to read of each. */
function isPassing({ method, headers, routeOptions }: FastifyRequest): boolean {
  const { isAsset = false, isPage = false } = routeOptions.config;
  return method === "GET" && (isAsset || (isPage && headers["graphloom-renewal"] !== undefined));
}

/** The path of a request; of one whose path lets whoever has it in, what it is a path of. */
function loggedPath({ url, routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.url?.includes("/:token") ? routeOptions.url : withoutTokens(url.split("?")[0] ?? "");
}

/** A path without the keys and tokens in it, which are good for something wherever they were sent. */
export function withoutTokens(path: string): string {
  return path
    .replace(/^(\/+(?:invitations|password)\/+)[^/]+/i, "$1:token")
    .replaceAll(/\b(gl[a-z]?)(?:_|%5f)[\w%-]{8,}/gi, "$1_…");
}
