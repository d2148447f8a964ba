import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Schema } from "../../api/extension.js";
import { InternalError } from "../../base/invariant.js";
import { type FieldError, Problem } from "../problem.js";
import { fieldErrors } from "./field-errors.js";
import { sentenceOf, unkeepable } from "./json-bodies.js";
import { judgeOf } from "./judges.js";
import type { Admission } from "./roles.js";

/** Where the API begins. */
export const apiBase = "/api/v1";

/** A route of the API. */
export interface ApiRoute {
  readonly method: string;
  /** Below `apiBase`: `/projects/{id}`. */
  readonly path: string;
  readonly config: FastifyContextConfig & { readonly role: Admission };
  /** What has to fit what; any value fits where there is none. */
  readonly schemas: {
    readonly path?: Schema | undefined;
    readonly query?: Schema | undefined;
    /** Of bodies that are JSON (`acceptEmptyJson`). */
    readonly body?: Schema | undefined;
    readonly answer?: Schema | undefined;
  };
  /** Whether a request without a body is fine, too. */
  readonly takesNoBody?: boolean;
  /** Of success. With 204, nothing is sent. */
  readonly status: number;
}

/** A request that fits the schemas of its route. */
export interface RouteAsk<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  /** Nothing when none was sent; a form is left to the route to read. */
  readonly body: Body;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Fields that are named of those that cannot be kept. */
const mostErrors = 20;

/**
 * Adds a route. Requests that do not fit its schemas are refused with the fields that are wrong, and so are texts that no
 * database keeps; what is answered is held against its schema, too.
 */
export function addRoute(
  app: FastifyInstance,
  { method, path, config, schemas, takesNoBody = false, status }: ApiRoute,
  handle: (ask: RouteAsk<unknown, unknown, unknown>) => Promise<unknown>,
): void {
  app.route({
    method: method as "GET",
    url: `${apiBase}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    config,
    handler: async (request, reply) => {
      const given = { path: request.params, query: request.query, body: request.body ?? undefined };
      check("path", given.path, schemas.path);
      check("query", given.query, schemas.query);
      check("body", given.body, takesNoBody && given.body === undefined ? undefined : schemas.body);
      const answer = await handle({ ...given, request, reply });
      checkAnswer(`${method} ${path}`, answer, schemas.answer);
      return status === 204 ? reply.status(204).send() : reply.status(status).send(answer ?? {});
    },
  });
}

/** @throws Problem that names the fields that are wrong */
function check(part: "path" | "query" | "body", value: unknown, schema: Schema | undefined): void {
  const errors = faultsOf(value, schema, part !== "body");
  if (errors.length > 0) throw new Problem("bad-request", sentenceOf(part, errors), { errors });
}

function faultsOf(value: unknown, schema: Schema | undefined, isOfTexts: boolean): readonly FieldError[] {
  const judge = schema && judgeOf(schema, isOfTexts);
  return !judge || judge(value) ? unkeepable(value).slice(0, mostErrors) : fieldErrors(judge.errors ?? []);
}

/** @throws InternalError: what does not fit is a mistake of ours, and nobody's data */
function checkAnswer(route: string, value: unknown, schema: Schema | undefined): void {
  const judge = schema && judgeOf(schema);
  if (!judge || judge(value)) return;
  const [fault] = judge.errors ?? [];
  throw new InternalError(
    `the answer to ${route} does not match its schema: ${fault?.instancePath} ${fault?.message}`,
  );
}
