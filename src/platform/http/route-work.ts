import type { FastifyInstance, FastifyRequest } from "fastify";
import { FairTurns } from "../../base/turns/fair-turns.js";
import { goneOf } from "./limits/gone-of.js";
import { callerOf } from "./roles.js";

/**
 * The kind of work that a route of the API does. Each kind is limited for one project. Requests and starts of tasks
 * are limited here; the others where the work is done, since pages do the same work.
 */
export type Work =
  /** Statements in the database. */
  | "request"
  /** A process that checks a definition, or asks its sinks. */
  | "check"
  /** A bundle, which is unpacked and compiled. */
  | "deploy"
  /** The build of a version, which is unpacked and packed for a download. */
  | "build"
  /** A file of a dataset. */
  | "file"
  /** The start of a process that works on the state of sinks. */
  | "task"
  /** All rows of a deployment. */
  | "dump"
  /** Rows of a deployment that are loaded. */
  | "restore"
  /** An answer without an end. */
  | "stream";

/** Routes whose work is limited elsewhere, by method and path. */
const heavy: Readonly<Record<string, Exclude<Work, "request">>> = {
  "PUT /subgraphs/{name}/deployments/{version}": "deploy",
  "POST /pipelines": "check",
  "POST /pipelines/preview": "check",
  "POST /pipelines/validate": "check",
  "POST /pipelines/check": "check",
  "PUT /pipelines/{name}/definition": "check",
  "POST /pipelines/{name}/compare": "check",
  "POST /pipelines/{name}/snapshots": "check",
  "GET /pipelines/{name}/parked": "check",
  "POST /pipelines/{name}/parked/drop": "task",
  "POST /pipelines/{name}/parked/retry": "task",
  "POST /pipelines/{name}/repair": "task",
  "POST /pipelines/{name}/replay": "task",
  "POST /pipelines/{name}/verify": "task",
  "GET /pipelines/{name}/inspect": "stream",
  "GET /datasets/{dataset}/file": "file",
  "GET /subgraphs/{name}/{version}/build": "build",
  "GET /deployments/{deployment}/build": "build",
  "GET /ipfs/{cid}": "build",
  "POST /subgraphs/{name}/{version}/dump": "dump",
  "POST /restores": "restore",
  "POST /restores/{deployment}/rows": "restore",
  "POST /restores/{deployment}/complete": "restore",
};

/** How many requests of the API run at the same time. A project's requests first wait for each other. */
const requestLimits = {
  atOnce: 24,
  atOnceOfOne: 8,
  waitingOfOne: 200,
  refusal: "This project has 200 requests waiting already. Wait for their answers, then try again.",
};

const turns = new WeakMap<FastifyInstance["server"], FairTurns>();

/** The work that a route does. @param path `/pipelines/{name}` */
export function workOf(method: string, path: string): Work {
  return heavy[`${method} ${path}`] ?? "request";
}

/**
 * Runs the work of a request in the turn of its project, or of its client where no project is known.
 * @throws TooMuchWaitingError, and errors of the work
 */
export function inTurn<Result>(
  app: FastifyInstance,
  request: FastifyRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const own = turns.get(app.server) ?? new FairTurns(requestLimits);
  turns.set(app.server, own);
  return own.run(askerOf(request), work, goneOf(request));
}

/** The caller that a request counts for: its project, or its client if no project is known. */
export function askerOf(request: FastifyRequest): string {
  const { role = "anyone" } = request.routeOptions.config;
  const isOfProject = role !== "anyone" && role !== "signed-in";
  return isOfProject ? callerOf(request).project : `address ${request.ip}`;
}
