import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Platform } from "../platform.js";
import { peekCaller } from "./roles.js";

/**
 * Logs a line for each answer, and counts it: who asked for what, what came of it, and how long it took. Neither keys
 * nor queries of addresses are in it.
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
    request.log.info(
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

/** The path of a request; of one whose path lets whoever has it in, what it is a path of. */
function loggedPath({ url, routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.url?.includes("/:token") ? routeOptions.url : url.split("?")[0];
}
