import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Schema } from "../../api/extension.js";
import { InternalError } from "../../base/invariant.js";
import { type FieldError, Problem } from "../problem.js";
import { fieldErrors } from "./field-errors.js";
import { judgeOf } from "./judges.js";
import { sentenceOf } from "./limits/json-bodies.js";
import type { Admission } from "./roles.js";
import { inTurn, workOf } from "./route-work.js";

/** The path prefix of the API. */
export const apiBase = "/api/v1";

export interface ApiRoute {
  readonly method: string;
  /** Below `apiBase`: `/projects/{id}`. */
  readonly path: string;
  readonly config: FastifyContextConfig & { readonly role: Admission };
  /** The schema of each part; without one, any value is valid. */
  readonly schemas: {
    readonly path?: Schema | undefined;
    readonly query?: Schema | undefined;
    /** For JSON bodies (`acceptEmptyJson`). */
    readonly body?: Schema | undefined;
    readonly answer?: Schema | undefined;
  };
  /** Whether the body may be missing. */
  readonly takesNoBody?: boolean;
  /** The status of success. With 204, the answer has no body. */
  readonly status: number;
}

/** A request that matches the schemas of its route. */
export interface RouteAsk<Path, Query, Body> {
  readonly path: Path;
  readonly query: Query;
  /** `undefined` if the request has no body; the route itself reads forms. */
  readonly body: Body;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Adds a route. It refuses requests that do not match the schemas, and names the wrong fields. It also checks the answer
 * against its schema.
 */
export function addRoute(
  app: FastifyInstance,
  { method, path, config, schemas, takesNoBody = false, status }: ApiRoute,
  handle: (ask: RouteAsk<unknown, unknown, unknown>) => Promise<unknown>,
): void {
  const work = workOf(method, path);
  app.route({
    method: method as "GET",
    url: `${apiBase}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`,
    config,
    handler: async (request, reply) => {
      const own = () => handle({ ...given, request, reply });
      const given = { path: request.params, query: request.query, body: request.body ?? undefined };
      check("path", given.path, schemas.path);
      check("query", given.query, schemas.query);
      check("body", given.body, takesNoBody && given.body === undefined ? undefined : schemas.body);
      const answer = await (work === "request" || work === "task" ? inTurn(app, request, own) : own());
      checkAnswer(`${method} ${path}`, answer, schemas.answer);
      return status === 204 ? reply.status(204).send() : reply.status(status).send(answer ?? {});
    },
  });
}

/** @throws Problem that names the wrong fields */
function check(part: "path" | "query" | "body", value: unknown, schema: Schema | undefined): void {
  const errors = faultsOf(value, schema, part !== "body");
  if (errors.length > 0) throw new Problem("bad-request", sentenceOf(part, errors), { errors });
}

function faultsOf(value: unknown, schema: Schema | undefined, isOfTexts: boolean): readonly FieldError[] {
  const judge = schema && judgeOf(schema, isOfTexts);
  return !judge || judge(value) ? [] : fieldErrors(judge.errors ?? []);
}

/** @throws InternalError, because a mismatch is a bug in this program; the message shows no data */
function checkAnswer(route: string, value: unknown, schema: Schema | undefined): void {
  const judge = schema && judgeOf(schema);
  if (!judge || judge(value)) return;
  const [fault] = judge.errors ?? [];
  throw new InternalError(
    `the answer to ${route} does not match its schema: ${fault?.instancePath} ${fault?.message}`,
  );
}
