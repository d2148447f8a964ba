import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type DocumentNode, execute, GraphQLError, parse, specifiedRules, validate } from "graphql";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { messageOf } from "../../../base/text/message-of.js";
import { FairTurns } from "../../../base/turns/fair-turns.js";
import { logFailure, problemOf } from "../../http/app.js";
import type { Platform } from "../../platform.js";
import { clientOf } from "../../rate-limiter.js";
import type { EndpointView } from "../public-view.js";
import { anyone, type EndpointScope } from "../scope.js";
import { bodyOf, everyOrigin, graphNodeCors, sendJson } from "../send-answer.js";
import { statusAnswers } from "./status-answers.js";
import { StatusReader } from "./status-reader.js";
import { statusSchema } from "./status-schema.js";

/** The query that the page begins with. */
const firstQuery = "{\n  indexingStatuses {\n    subgraph\n    synced\n    health\n  }\n}\n";

/** The most tokens of a query: enough for every field many times over. */
const maxTokens = 1000;

/** Clients take turns. */
const limits = {
  atOnce: 2,
  atOnceOfOne: 2,
  waitingOfOne: 20,
  refusal: "Too many of your queries of the indexing status are waiting already. Try again.",
} as const;

/** Where the indexing status API is, and what its requests may see. */
export interface StatusPlace {
  readonly path: string;
  /** Where its page is, if it has one. */
  readonly page?: string;
  /** Admits members of a project only. */
  readonly members?: FastifyContextConfig;
  readonly viewOf: (request: FastifyRequest) => EndpointView | Promise<EndpointView>;
}

/** Adds the indexing status API, which graph-node serves on a separate port. */
export function addStatusRoutes(
  app: FastifyInstance,
  platform: Platform,
  scope: EndpointScope,
  { path, page, members, viewOf }: StatusPlace,
): void {
  const turns = new FairTurns(limits);
  app.post(
    path,
    members ? { config: members } : { config: anyone, onRequest: scope.count },
    async (request, reply) => {
      // A caller who may not ask is refused before the query is read.
      const view = await viewOf(request);
      const body = parseJson(bodyOf(request));
      if (!isRecord(body) || typeof body.query !== "string") {
        return refuse(reply, 'Invalid request: The "query" field is missing in request data');
      }
      const { query, variables, operationName } = body;
      let document: DocumentNode;
      try {
        document = parse(query, { maxTokens });
      } catch (error) {
        if (error instanceof GraphQLError) return refuse(reply, `Query error: ${error.message}`);
        throw error;
      }
      const schema = statusSchema();
      const errors = validate(schema, document, specifiedRules, { maxErrors: 10 });
      if (errors.length > 0) return send(request, reply, { errors });
      const reader = new StatusReader(platform, view);
      const result = await turns.run(clientOf(request.ip), async () =>
        execute({
          schema,
          document,
          rootValue: statusAnswers(reader, platform.settings.version),
          variableValues: isRecord(variables) ? variables : {},
          ...(typeof operationName === "string" && { operationName }),
        }),
      );
      return send(request, reply, result);
    },
  );
  if (page !== undefined)
    app.get(page, { config: anyone }, async (_, reply) =>
      scope.page.send(reply, "Status", { endpoint: path, query: firstQuery }),
    );
  app.options(path, { config: anyone }, async (_, reply) =>
    reply.headers(graphNodeCors).status(200).type("text/html; charset=utf-8").send(""),
  );
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { data, errors }: { data?: unknown; errors?: readonly GraphQLError[] },
) {
  const told = errors?.map((error) => ({
    ...(error.locations && { locations: error.locations }),
    message: messageFor(request, error),
  }));
  return sendJson(
    reply.headers(graphNodeCors),
    200,
    JSON.stringify({ data: data ?? undefined, errors: told }),
  );
}

/** The error message for a client. Outages have the same words as everywhere on the server. */
function messageFor(request: FastifyRequest, { message, originalError: cause }: GraphQLError): string {
  if (!cause || cause instanceof GraphQLError) return message;
  const problem = problemOf(cause);
  if (problem.type === "internal") return messageOf(cause);
  logFailure(request, problem, cause);
  return problem.message;
}

function refuse(reply: FastifyReply, text: string): FastifyReply {
  return reply.headers(everyOrigin).status(400).type("text/plain; charset=utf-8").send(text);
}
