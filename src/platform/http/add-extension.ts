import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ownSchemas } from "../../api/own-schemas.js";
import { Problem } from "../problem.js";
import type { Extension } from "./extension.js";
import { fieldErrors } from "./field-errors.js";
import { sentenceOf, unkeepable } from "./json-bodies.js";
import type { Admission } from "./roles.js";

/** A route that the management API does not have. */
export interface ExtensionRoute extends Extension {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below `/api/v1`: `/projects/:id`. */
  readonly path: string;
  readonly role: Admission;
  /** The role is one in the project that the path names as `:id`. */
  readonly isOfPath?: boolean;
}

/** A request that fits the route's schemas. */
export interface ExtensionAsk {
  readonly path: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: what it is, the schema says
  readonly query: any;
  // biome-ignore lint/suspicious/noExplicitAny: what it is, the schema says
  readonly body: any;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Fields that are named of those that are wrong. */
const mostErrors = 20;

const options = { ...ownSchemas, allErrors: true, validateFormats: false } as const;
const strict = new Ajv2020(options);
const coercing = new Ajv2020({ ...options, coerceTypes: true });

/** What was compiled of a schema, at the first request that needs it. */
const compiled = new WeakMap<object, ValidateFunction>();

function judgeOf(schema: object, compile: () => ValidateFunction): ValidateFunction {
  const judge = compiled.get(schema) ?? compile();
  compiled.set(schema, judge);
  return judge;
}

/** Adds a route: requests that do not fit its schemas are refused. Bodies are JSON (`acceptEmptyJson`). */
export function addExtension(
  app: FastifyInstance,
  { method, path, role, isOfPath, ...extension }: ExtensionRoute,
  handle: (ask: ExtensionAsk) => Promise<unknown>,
): void {
  const { query, body, answer, status = answer ? 200 : 204 } = extension;
  const judges = {
    path: () => undefined,
    query: () => query && judgeOf(query, () => coercing.compile({ type: "object", properties: query })),
    body: () => body && judgeOf(body, () => strict.compile(body)),
  };
  app.route({
    method,
    url: `/api/v1${path}`,
    config: { role, extension, ...(isOfPath && { isOfPath }) },
    handler: async (request, reply) => {
      const given = { path: request.params, query: request.query, body: request.body };
      for (const part of ["path", "query", "body"] as const) check(part, given[part], judges[part]());
      const answered = await handle({ ...given, request, reply } as ExtensionAsk);
      return status === 204 ? reply.status(204).send() : reply.status(status).send(answered);
    },
  });
}

function check(part: string, value: unknown, judge: ValidateFunction | undefined): void {
  const errors =
    !judge || judge(value) ? unkeepable(value).slice(0, mostErrors) : fieldErrors(judge.errors ?? []);
  if (errors.length > 0) throw new Problem("bad-request", sentenceOf(part, errors), { errors });
}
