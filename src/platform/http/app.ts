import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { messageOf } from "../../base/text/message-of.js";
import type { TracedRequest } from "../../base/tracing.js";
import { TooMuchWaitingError } from "../../base/turns/fair-turns.js";
import { ShortOfMemoryError } from "../../base/turns/memory-guard.js";
import { DatabaseError } from "../../store/database/database.js";
import type { Platform } from "../platform.js";
import { Problem, problemDocument, problemTypes } from "../problem.js";
import { wantsPage } from "./accepts.js";
import { Fastify, LogController } from "./fastify.js";
import { fieldErrors } from "./field-errors.js";
import { cleanForwarded } from "./forwarded.js";
import { api, docs, frameOf, navigationOf, policyOf, subgraphs } from "./frame.js";
import { html } from "./html.js";
import { closeConnections } from "./limits/close-connections.js";
import { watchClients } from "./limits/gone-of.js";
import { LateError } from "./limits/in-time.js";
import { limitUnfinished, longestHeaders } from "./limits/limit-unfinished.js";
import { refuseUnkeepable } from "./limits/refuse-unkeepable.js";
import { paceRequests } from "./pace-requests.js";
import { type GuardedRoute, guardRoutes, peekCaller } from "./roles.js";

/** After a visit over https, browsers use https only for this long: a year. */
const httpsOnly = "max-age=31536000";

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
  traceRequests(app, platform);
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

/**
 * Logs a line for each answer, and counts it: the caller, the request, the status and the duration. The line contains
 * neither keys nor query strings. Automatic requests of pages are logged at the level debug.
 */
function logAnswers(app: FastifyInstance, { meters }: Pick<Platform, "meters">): void {
  app.addHook("onResponse", async (request, reply) => {
    const caller = peekCaller(request);
    // Event streams stay open for as long as the client reads, so their duration tells nothing about the server.
    if (!isOfEvents(reply))
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

/** Whether the answer is a stream of events. */
function isOfEvents(reply: FastifyReply): boolean {
  return String(reply.getHeader("content-type")).startsWith("text/event-stream");
}

/** Follows each request for a collector of traces, from its arrival to its answer. */
function traceRequests(app: FastifyInstance, { tracing }: Pick<Platform, "tracing">): void {
  if (!tracing) return;
  const traced = new WeakMap<FastifyRequest, TracedRequest>();
  app.addHook("onRequest", async (request) => {
    const { traceparent } = request.headers;
    const parent = typeof traceparent === "string" ? traceparent : undefined;
    traced.set(request, tracing.begin(request.method, parent));
  });
  // Not before: the body arrives in events of the connection, which belong to no request.
  app.addHook("preValidation", (request, _, done) => {
    const one = traced.get(request);
    if (one) one.within(done);
    else done();
  });
  app.addHook("onResponse", async (request, reply) => {
    if (isOfEvents(reply)) return;
    traced.get(request)?.end({ route: request.routeOptions.url ?? "none", status: reply.statusCode });
  });
}

/** Whether a page made the request on its own: for an asset, or to get its changes. */
function isPassing({ method, headers, routeOptions }: FastifyRequest): boolean {
  const { isAsset = false, isPage = false } = routeOptions.config;
  return method === "GET" && (isAsset || (isPage && headers["graphloom-renewal"] !== undefined));
}

/** The path of a request; the route's pattern if the path contains a token. */
function loggedPath({ url, routeOptions }: FastifyRequest): string | undefined {
  return routeOptions.url?.includes("/:token") ? routeOptions.url : withoutTokens(url.split("?")[0] ?? "");
}

/** A path without keys and tokens, which would stay usable even in a path that does not exist. */
function withoutTokens(path: string): string {
  return path
    .replace(/^(\/+(?:invitations|password)\/+)[^/]+/i, "$1:token")
    .replaceAll(/\b(gl[a-z]?)(?:_|%5f)[\w%-]{8,}/gi, "$1_…");
}

/**
 * Adds the headers of all answers, unless a route sets them itself. Browsers must not guess the media type.
 * Answers that require a key must not be cached. An answer without a valid key says how to send one.
 */
function addAnswerHeaders(app: FastifyInstance, { settings }: Platform): void {
  app.addHook("onSend", async (request, reply) => {
    const add = (name: string, value: string): void => {
      if (!reply.hasHeader(name)) reply.header(name, value);
    };
    const { role = "anyone" } = request.routeOptions.config;
    add("x-content-type-options", "nosniff");
    if (role !== "anyone") add("cache-control", "no-store");
    if (reply.statusCode === 401) add("www-authenticate", 'Bearer realm="graphloom"');
    if (settings.address().startsWith("https:")) add("strict-transport-security", httpsOnly);
  });
}

/**
 * Refuses requests for other host names, if the server knows its own. Otherwise an attacker could point a foreign name
 * at this machine (DNS rebinding), so that pages under that name read what only this machine may read.
 */
function refuseForeignHosts(app: FastifyInstance, { settings }: Platform): void {
  const { isOwnHost } = settings;
  if (!isOwnHost) return;
  app.addHook("onRequest", async ({ raw: { headers } }) => {
    const { host } = headers;
    // Browsers always send the header.
    if (host === undefined || isOwnHost(hostnameOf(host))) return;
    throw new Problem(
      "misdirected",
      `This server does not answer to the host ${JSON.stringify(host.slice(0, 100))}. Use ${settings.address()}, or start the server with --public-address and the address that clients use.`,
    );
  });
}

/** The host without its port, in lower case. */
function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();
}

/**
 * A refusal as a page, for people who open an address of an API.
 * @param path the path of the address, without its query
 */
function problemPage({ type, message }: Problem, path: string): string {
  const { title, status } = problemTypes[type];
  return frameOf({
    title,
    navigation: navigationOf([subgraphs, docs, api], path),
    content: html`
<h1>${title}</h1>
<p>${message}</p>
<p><a href="/api/errors/${type}">What status ${status} means here, and what to do</a></p>
<p><a href="/">Back to the subgraphs</a></p>
`,
  });
}
