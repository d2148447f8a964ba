import type { FastifyInstance, FastifyReply } from "fastify";
import { FairTurns } from "../../base/fair-turns.js";
import { anyone } from "../endpoints/scope.js";
import { acceptTexts } from "../http/accept-texts.js";
import { logFailure, problemOf, type Routes } from "../http/app.js";
import { type AdminScope, adminMethods, deployTurns } from "./admin-methods.js";
import { type DoorLimits, refuseForeignPages } from "./door-limits.js";
import { answerRpc, RpcError, refusalBody } from "./json-rpc.js";

/** The admin port: JSON-RPC at `/`. It answers every request to it with 200, since tools lose other answers. */
export function adminDoor(given: Omit<AdminScope, "turns">, limits: DoorLimits): Routes {
  const scope: AdminScope = { ...given, turns: new FairTurns(deployTurns) };
  return (app: FastifyInstance) => {
    acceptTexts(app);
    app.setErrorHandler((error: unknown, request, reply) => {
      const problem = problemOf(error);
      logFailure(request, problem, error);
      return sendRpc(reply, refusalBody(new RpcError(-32_600, problem.message)));
    });
    app.post(
      "/",
      { config: anyone, onRequest: [refuseForeignPages, limits.count] },
      async (request, reply) => {
        const { body } = request;
        return sendRpc(
          reply,
          await answerRpc(typeof body === "string" ? body : "", adminMethods(scope, request)),
        );
      },
    );
    app.route({
      method: ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"],
      url: "/",
      config: anyone,
      handler: async (_, reply) => reply.status(405).header("allow", "POST").send(""),
    });
    app.all("/*", { config: anyone }, async (_, reply) => reply.status(404).send(""));
  };
}

function sendRpc(reply: FastifyReply, body: string): FastifyReply {
  return reply.status(200).header("content-type", "application/json").send(Buffer.from(body));
}
