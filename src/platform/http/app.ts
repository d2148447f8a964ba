import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { TooMuchWaitingError } from "../../base/fair-turns.js";
import { ShortOfMemoryError } from "../../base/memory-guard.js";
import { messageOf } from "../../base/message-of.js";
import { DatabaseError } from "../../store/database/database.js";
import type { Platform } from "../platform.js";
import { Problem, problemDocument } from "../problem.js";
import { wantsPage } from "./accepts.js";
import { logAnswers } from "./access-log.js";
import { addAnswerHeaders } from "./answer-headers.js";
import { closeConnections } from "./close-connections.js";
import { Fastify, LogController } from "./fastify.js";
import { fieldErrors } from "./field-errors.js";
import { cleanForwarded } from "./forwarded.js";
import { policyOf } from "./frame.js";
import { watchClients } from "./gone-of.js";
import { LateError } from "./in-time.js";
import { limitUnfinished, longestHeaders } from "./limit-unfinished.js";
import { refuseForeignHosts } from "./own-host.js";
import { paceRequests } from "./pace-requests.js";
import { problemPage } from "./problem-page.js";
import { refuseUnkeepable } from "./refuse-unkeepable.js";
import { type GuardedRoute, guardRoutes } from "./roles.js";

/** Adds routes to a server. */
export type Routes = (app: FastifyInstance, platform: Platform) => void | Promise<void>;

/** Maximum bytes of a request body, unless a route allows more. */
const largestBody = 1024 * 1024;
/** Milliseconds that a request may take to arrive. */
const longestArrival = 300_000;

/**
 * Creates a server that does not listen yet. It answers every refusal and every failure with a problem document. The
 * `config` of each route names the role that the route requires.
 * @param logger logs requests and failures; without it, nothing is logged
 */
export async function createApp(
  platform: Platform,
  routes: readonly Routes[],
  logger?: FastifyBaseLogger,
): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: largestBody,
    requestTimeout: longestArrival,
    http: { headersTimeout: longestHeaders },
    trustProxy: [...(platform.settings.trustedProxies ?? [])],
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
    ...(logger && { loggerInstance: logger }),
    // `logAnswers` writes a line instead.
    logController: new LogController({ disableRequestLogging: true }),
    // An invalid URL never reaches a route.
    frameworkErrors: (error, request, reply) =>
      sendProblem(problemOf(error), request as FastifyRequest, reply as FastifyReply, platform),
  }) as FastifyInstance;
  if (platform.settings.trustedProxies?.length) cleanForwarded(app);
  refuseForeignHosts(app, platform);
  const known = guardRoutes(app, platform);
  app.decorate("guardedRoutes", known);
  refuseUnkeepable(app);
  paceRequests(app, platform);
  watchClients(app);
  addAnswerHeaders(app, platform);
  logAnswers(app, platform);
  closeConnections(app);
  limitUnfinished(app, platform.world, platform.settings.trustedProxies);
  app.setErrorHandler((error: unknown, request, reply) => {
    const problem = problemOf(error);
    logFailure(request, problem, error);
    return sendProblem(problem, request, reply, platform);
  });
  app.setNotFoundHandler((request, reply) => sendNotFound(known, request, reply, platform));
  for (const add of routes) await app.register(async (scope) => add(scope, platform));
  return app;
}

/** Logs an expected absence or outage in one line, and a fault of the server with its stack trace. */
export function logFailure(request: FastifyRequest, problem: Problem, error: unknown): void {
  if (problem.type === "not-there-yet") request.log.info(problem.message);
  else if (problem.type === "unavailable" && error === problem) {
    const { cause } = problem;
    request.log.warn(cause === undefined ? problem.message : `${problem.message} ${messageOf(cause)}`);
  } else if (problem.status >= 500) request.log.error(error);
}

/** Answers with a problem document, or with a page to a browser that opens the address. */
export function sendProblem(
  problem: Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  { settings }: Platform,
): FastifyReply {
  if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
  const path = request.url.split("?")[0] ?? "";
  reply.status(problem.status).header("vary", "accept");
  return wantsPage(request)
    ? reply
        .headers({ "content-security-policy": policyOf(), "x-content-type-options": "nosniff" })
        .type("text/html; charset=utf-8")
        .send(problemPage(problem, path))
    : reply
        .type("application/problem+json; charset=utf-8")
        .send(JSON.stringify(problemDocument(problem, path, settings.address())));
}

/** Answers that the address does not exist, or does not accept the method. */
function sendNotFound(
  routes: readonly GuardedRoute[],
  request: FastifyRequest,
  reply: FastifyReply,
  platform: Platform,
): FastifyReply {
  const path = request.url.split("?")[0] ?? "";
  const methods = [
    ...new Set(routes.filter(({ url }) => fits(url, path)).map(({ method }) => method)),
  ].sort();
  if (methods.length === 0) {
    const problem = new Problem("not-found", "Nothing exists at this address.");
    return sendProblem(problem, request, reply, platform);
  }
  reply.header("allow", methods.join(", "));
  const detail = `This address accepts ${methods.join(", ")}, not ${request.method}.`;
  return sendProblem(new Problem("method-not-allowed", detail), request, reply, platform);
}

/** Whether a path matches a route, part by part; a parameter matches anything. */
function fits(url: string, path: string): boolean {
  if (url.includes("*")) return false;
  const [parts, given] = [url, path].map((text) => text.replace(/\/$/, "").split("/")) as [
    string[],
    string[],
  ];
  return (
    parts.length === given.length &&
    parts.every((part, index) => (part.startsWith(":") ? given[index] !== "" : part === given[index]))
  );
}

/** The problem that a client gets for an error. Details that it does not need are only in the server's log. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof ShortOfMemoryError) {
    const { message, retryAfter } = error;
    return new Problem("unavailable", message, { cause: error, retryAfter });
  }
  if (error instanceof TooMuchWaitingError) {
    const { message, retryAfter } = error;
    return new Problem("rate-limited", message, { cause: error, retryAfter });
  }
  if (error instanceof DatabaseError) {
    return new Problem("unavailable", "The database could not complete the request. Try again.", {
      cause: error,
    });
  }
  if (error instanceof LateError) {
    return new Problem("unavailable", "The database did not answer in time. Try again.", { cause: error });
  }
  const { statusCode = 500, message, validation } = (error ?? {}) as Partial<FastifyError>;
  if (validation) {
    return new Problem("bad-request", message ?? "The request is not valid.", {
      errors: fieldErrors(validation),
    });
  }
  if (statusCode === 413) return new Problem("too-large", message ?? "The request is too large.");
  if (statusCode === 415) return new Problem("unsupported-media-type", message ?? "Send JSON.");
  if (statusCode >= 400 && statusCode < 500) return new Problem("bad-request", message ?? "Bad request");
  return new Problem("internal", "The server failed to handle the request. Its log has the details.", {
    cause: error,
  });
}
