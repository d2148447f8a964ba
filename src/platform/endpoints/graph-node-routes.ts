import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerBody } from "../../query/answer-body.js";
import type { QueryBody } from "../../query/query-body.js";
import { goneOf } from "../http/limits/gone-of.js";
import type { Platform } from "../platform.js";
import type { Endpoint } from "../subgraphs/endpoints.js";
import { beginningOf } from "./beginning.js";
import { encoded } from "./encoded.js";
import { isDeploymentId, isSubgraphName, joinedPath } from "./names.js";
import type { EndpointView } from "./public-view.js";
import { askedQuery } from "./query-desk.js";
import { anyone, type EndpointScope } from "./scope.js";
import { bodyOf, everyOrigin, graphNodeCors, sendAnswer, sendJson, sendMistake } from "./send-answer.js";

const clientError = "GraphQL server error (client error): ";

/** The target of a request, by a name or an id. */
interface Asked {
  readonly kind: "name" | "id";
  readonly value: string;
}

function requestKey({ key }: EndpointView, { kind, value }: Asked): string {
  return `${key}${kind} ${value}`;
}

/**
 * Adds the addresses that a graph-node has: `/subgraphs/id/<deployment>`, `/subgraphs/name/<name>/<version or tag>`
 * and `/subgraphs/name/<name>`, with its answers word for word.
 * @param viewOf returns what a request may query
 */
export function addGraphNodeRoutes(
  app: FastifyInstance,
  platform: Platform,
  scope: EndpointScope,
  viewOf: (request: FastifyRequest) => EndpointView | Promise<EndpointView>,
): void {
  const find = (view: EndpointView, asked: Asked): Promise<Endpoint | undefined> =>
    scope.reads.read(requestKey(view, asked), () =>
      asked.kind === "id" ? view.byId(asked.value) : view.byName(asked.value),
    );

  app.post("/subgraphs/*", { config: anyone, onRequest: scope.count }, async (request, reply) => {
    const asked = askedOf(pathOf(request));
    if (!asked) return sendNotFound(reply);
    const { kind, value } = asked;
    const isValid = kind === "id" ? isDeploymentId(value) : isSubgraphName(value);
    if (!isValid) return sendMistake(reply, `${clientError}Invalid subgraph ${kind} \`${value}\``);
    if (request.headers["content-type"] === undefined) {
      return sendMistake(reply, "Content-Type header is required");
    }
    const query = askedQuery(bodyOf(request), scope.payerOf(request), goneOf(request));
    const view = await viewOf(request);
    const answer = await scope.inTurn(request, async () => {
      const answered = await scope.desk.answer(query, requestKey(view, asked), () => find(view, asked));
      return answered ?? encoded(await answerOfNone(query.body, value));
    });
    return sendAnswer(reply, answer);
  });

  app.get("/subgraphs/*", { config: anyone }, async (request, reply) => {
    const path = pathOf(request);
    if (path === "graphql" || /^(?:name\/.+|id\/[^/]+|network\/[^/]+\/[^/]+)\/graphql$/.test(path)) {
      const endpoint = path.replace(/\/?graphql$/, "");
      const asked = askedOf(endpoint);
      return scope.page.send(reply, endpoint.replace(/^(?:name|id)\//, ""), {
        endpoint: `/subgraphs/${endpoint}`.replace(/\/$/, ""),
        ...(await beginningOf(asked && (await find(await viewOf(request), asked)), platform)),
      });
    }
    const asked = askedOf(pathOf(request));
    if (!asked) return sendNotFound(reply);
    if (asked.kind === "name" && isMutation(request)) {
      return sendMistake(reply, "Can't use mutations with GET method");
    }
    return reply
      .headers(everyOrigin)
      .status(302)
      .header("location", encodeURI(`/subgraphs/${path}/graphql`))
      .type("text/plain")
      .send("Redirecting...");
  });

  app.options("/subgraphs/*", { config: anyone }, async (_, reply) =>
    reply.headers(graphNodeCors).status(200).type("text/html; charset=utf-8").send(""),
  );
}

/** The path after `/subgraphs/`. */
function pathOf({ params }: FastifyRequest): string {
  const { "*": path = "" } = params as { readonly "*"?: string };
  return joinedPath(path);
}

function askedOf(path: string): Asked | undefined {
  const [kind, ...rest] = path.split("/");
  if (rest.length === 0) return undefined;
  if (kind === "name") return { kind, value: rest.join("/") };
  return kind === "id" && rest.length === 1 ? { kind, value: rest.join("/") } : undefined;
}

function isMutation({ query }: FastifyRequest): boolean {
  const { query: text } = query as { readonly query?: unknown };
  return typeof text === "string" && /^\s*mutation\b/.test(text);
}

/** Reports errors in the body first, and then that the deployment does not exist. */
function answerOfNone(body: QueryBody, name: string): ReturnType<typeof answerBody> {
  return answerBody(body, {
    execute: async () => ({
      errors: [{ message: `deployment \`${name}\` does not exist` }],
      attestable: false,
    }),
  });
}

/** graph-node's answer for unknown addresses. */
export function sendNotFound(reply: FastifyReply): FastifyReply {
  return sendJson(reply.headers(everyOrigin), 200, JSON.stringify({ message: "Not found" }));
}
