import type { FastifyInstance } from "fastify";
import { type FieldError, Problem } from "../../problem.js";
import { sentenceOf, unkeepable } from "./json-bodies.js";

/** The most fields to name. */
const mostErrors = 20;

/**
 * Refuses every request with a text that no database can store, in its address, query, form or JSON, for every route.
 * Texts of other forms, such as bundles, are checked by their parsers.
 */
export function refuseUnkeepable(app: FastifyInstance): void {
  app.addHook("preHandler", async ({ params, query, body }) => {
    refuse("path", unkeepable(params));
    refuse("query", unkeepable(query));
    if (body instanceof URLSearchParams)
      refuse(
        "form",
        [...body].flatMap(([name, text]) => unkeepable({ [name]: text })),
      );
    else if (typeof body === "object") refuse("body", unkeepable(body));
  });
}

/** @throws Problem that names the fields */
function refuse(part: string, found: readonly FieldError[]): void {
  const errors = found.slice(0, mostErrors);
  if (errors.length > 0) throw new Problem("bad-request", sentenceOf(part, errors), { errors });
}
