import type { FastifyInstance, FastifyRequest, RouteOptions } from "fastify";
import { type Operation, type OperationId, operationOf } from "../../api/api-document.js";
import type { Operations } from "../../api/contract.js";
import { fieldErrors } from "../http/field-errors.js";
import { acceptEmptyJson, sentenceOf, unkeepable } from "../http/json-bodies.js";
import type { Role } from "../people/api-keys.js";
import { Problem } from "../problem.js";
import { checkAnswer, judgeOf, parametersJudge } from "./contract-judge.js";

/** Where the API begins. */
export const apiBase = "/api/v1";

/** A request that fits the contract. */
export interface Ask<Id extends OperationId> {
  readonly path: Operations[Id] extends { readonly path: infer Path } ? Path : Readonly<Record<never, never>>;
  readonly query: Operations[Id] extends { readonly query: infer Query }
    ? Query
    : Readonly<Record<never, never>>;
  /** Nothing when none was sent and none has to be; a form is left to the operation to read. */
  readonly body: Operations[Id] extends { readonly body: infer Body } ? Body | undefined : undefined;
  readonly request: FastifyRequest;
}

/** What operations do; what they give is the body of the answer. */
export type Handlers = {
  readonly [Id in OperationId]: (ask: Ask<Id>) => Promise<Operations[Id]["answer"]>;
};

declare module "fastify" {
  interface FastifyContextConfig {
    /** The `operationId` of the contract. */
    operation?: OperationId;
  }
}

/** Operations that need no key: they answer the same to everybody. */
const forAnyone: ReadonlySet<OperationId> = new Set([
  "listSubgraphChains",
  "listEdgeNetworks",
  "listEdgeSources",
]);

/** Fields that are named of those that cannot be kept. */
const mostErrors = 20;

/** Operations that change nothing, although they are no GET. */
const readOnly: ReadonlySet<OperationId> = new Set(["validatePipeline"]);

/** What is needed for an operation. */
export function roleOf({ id, method }: Pick<Operation, "id" | "method">): Role | "anyone" {
  if (forAnyone.has(id)) return "anyone";
  return method === "GET" || readOnly.has(id) ? "Viewer" : "Editor";
}

/** Adds operations as routes: requests that do not fit the contract are refused, and so are answers. */
export function addOperations(app: FastifyInstance, handlers: Partial<Handlers>): void {
  acceptEmptyJson(app);
  for (const id of Object.keys(handlers) as OperationId[]) {
    const handle = handlers[id] as ((ask: Ask<OperationId>) => Promise<unknown>) | undefined;
    if (handle) app.route(routeOf(operationOf(id), handle));
  }
}

function routeOf(operation: Operation, handle: (ask: Ask<OperationId>) => Promise<unknown>): RouteOptions {
  const { id, method, path, status, body } = operation;
  // Compiled for the first request that needs them: a server would start later otherwise.
  const judges = {
    path: () => parametersJudge(operation, "path"),
    query: () => parametersJudge(operation, "query"),
    body: () => (body?.media === "application/json" ? judgeOf(body.schema) : undefined),
  };
  return {
    method: method as "GET",
    url: `${apiBase}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    config: { operation: id, role: roleOf(operation) },
    handler: async (request, reply) => {
      const given = { path: request.params, query: request.query, body: request.body };
      for (const part of ["path", "query", "body"] as const) {
        const judge = judges[part]();
        const isAbsent = part === "body" && given.body == null && body?.required !== true;
        const errors =
          !judge || isAbsent || judge(given[part])
            ? unkeepable(given[part]).slice(0, mostErrors)
            : fieldErrors(judge.errors ?? []);
        if (errors.length > 0) throw new Problem("bad-request", sentenceOf(part, errors), { errors });
      }
      const answer = await handle({ ...given, body: given.body ?? undefined, request } as Ask<OperationId>);
      checkAnswer(operation, answer);
      return status === 204 ? reply.status(204).send() : reply.status(status).send(answer ?? {});
    },
  };
}
