import type { FastifyInstance } from "fastify";
import { addExtension } from "../../http/add-extension.js";
import { dataOf, listOf } from "../../http/extension.js";
import { callerOf } from "../../http/roles.js";
import { listActs } from "../../people/audit.js";
import type { Platform } from "../../platform.js";
import { actSchema, shownAct } from "./shown.js";

/** How many acts are told, unless more or fewer are asked for. */
const usual = 50;

/**
 * `GET /api/v1/projects/{id}/audit?before=<id>&limit=<1 to 200>` (Admin) → 200
 * `{data: [{id, at, actor: {id, name}, action, subject, address}]}`, newest first; the `id` of the last one is what
 * `before` takes for those that are older.
 */
export function auditRoutes(app: FastifyInstance, { database }: Platform): void {
  addExtension(
    app,
    {
      method: "GET",
      path: "/projects/:id/audit",
      role: "Admin",
      isOfPath: true,
      summary: "Who did what in a project",
      query: {
        before: {
          type: "string",
          pattern: "^[0-9]{1,18}$",
          description: "Only what is older than this one.",
        },
        limit: { type: "integer", minimum: 1, maximum: 200, default: usual },
      },
      answer: dataOf(listOf(actSchema)),
    },
    async ({ query: { before, limit = usual }, request }) => {
      const page = { limit, ...(before !== undefined && { before: BigInt(before) }) };
      return { data: (await listActs(database, callerOf(request).project, page)).map(shownAct) };
    },
  );
}
