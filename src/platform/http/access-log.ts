import type { FastifyInstance } from "fastify";
import { peekCaller } from "./roles.js";

/**
 * Logs a line for each answer: who asked for what, what came of it, and how long it took. Neither keys nor queries of
 * addresses are in it.
 */
export function logAnswers(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    const caller = peekCaller(request);
    request.log.info(
      {
        method: request.method,
        path: request.url.split("?")[0],
        status: reply.statusCode,
        milliseconds: Math.round(reply.elapsedTime * 10) / 10,
        ...(caller && { project: caller.project, key: caller.id }),
      },
      "answered",
    );
  });
}
