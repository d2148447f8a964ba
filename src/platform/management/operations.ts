import type { FastifyInstance } from "fastify";
import { type Operation, type OperationId, operationOf, type Parameter } from "../../api/api-document.js";
import type { Operations } from "../../api/contract.js";
import type { Schema } from "../../api/extension.js";
import { type ApiRoute, addRoute, type RouteAsk } from "../http/add-route.js";
import { acceptEmptyJson } from "../http/limits/json-bodies.js";
import type { Role } from "../people/api-keys.js";

/** A request that fits the contract. */
export type Ask<Id extends OperationId> = RouteAsk<Part<Id, "path">, Part<Id, "query">, BodyOf<Id>>;

type Part<Id extends OperationId, Name extends "path" | "query"> = Operations[Id] extends {
  readonly [name in Name]: infer Value;
}
  ? Value
  : Readonly<Record<never, never>>;

type BodyOf<Id extends OperationId> = Operations[Id] extends { readonly body: infer Body }
  ? Body | undefined
  : undefined;

/** The handlers of operations. They return the body of the answer. */
export type Handlers = {
  readonly [Id in OperationId]: (ask: Ask<Id>) => Promise<Operations[Id]["answer"]>;
};

declare module "fastify" {
  interface FastifyContextConfig {
    /** The `operationId` of the contract. */
    operation?: OperationId;
  }
}

/** Operations that require no key: their answers are the same for everyone. */
const forAnyone: ReadonlySet<OperationId> = new Set([
  "listSubgraphChains",
  "listEdgeNetworks",
  "listEdgeSources",
]);

/** Operations that change nothing, although they do not use GET. */
const readOnly: ReadonlySet<OperationId> = new Set(["validatePipeline"]);

/** The role that an operation requires. */
export function roleOf({ id, method }: Pick<Operation, "id" | "method">): Role | "anyone" {
  if (forAnyone.has(id)) return "anyone";
  return method === "GET" || readOnly.has(id) ? "Viewer" : "Editor";
}

/** Adds operations as routes. Requests and answers that do not match the contract are rejected. */
export function addOperations(app: FastifyInstance, handlers: Partial<Handlers>): void {
  acceptEmptyJson(app);
  for (const id of Object.keys(handlers) as OperationId[]) {
    const handle = handlers[id] as ((ask: Ask<OperationId>) => Promise<unknown>) | undefined;
    if (handle) addRoute(app, routeOf(operationOf(id)), (ask) => handle(ask as Ask<OperationId>));
  }
}

function routeOf(operation: Operation): ApiRoute {
  const { id, method, path, status, body, answer } = operation;
  const isJson = body?.media === "application/json";
  return {
    method,
    path,
    status,
    config: { operation: id, role: roleOf(operation) },
    schemas: {
      path: parametersIn(operation, "path"),
      query: parametersIn(operation, "query"),
      body: isJson ? { $ref: body.schema } : undefined,
      answer: answer === undefined ? undefined : { $ref: answer },
    },
    takesNoBody: body?.required !== true,
  };
}

/** The schema of all parameters of a path or a query. */
function parametersIn({ parameters }: Operation, place: Parameter["in"]): Schema | undefined {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
    required: own.flatMap(({ name, required }) => (required ? [name] : [])),
  };
}
