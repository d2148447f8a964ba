import type { FastifyInstance } from "fastify";
import { dataOf, listOf } from "../../../api/extension.js";
import { addExtension } from "../../http/add-extension.js";
import { callerOf } from "../../http/roles.js";
import { listActs } from "../../people/audit.js";
import type { Platform } from "../../platform.js";
import { actSchema, shownAct } from "./shown.js";

/** How many acts are told, unless more or fewer are asked for. */
const usual = 50;

/** The route of what was done in a project: newest first, and what is older than the last one of a page. */
export function auditRoutes(app: FastifyInstance, { database }: Platform): void {
  addExtension(
    app,
    {
      method: "GET",
      path: "/projects/{id}/audit",
      summary: "Lists who did what in a project.",
      query: {
        before: {
          type: "string",
          pattern: "^[0-9]{1,18}$",
          description: "Return only acts older than the one with this id.",
        },
        limit: { type: "integer", minimum: 1, maximum: 200, default: usual },
      },
      answer: dataOf(listOf(actSchema)),
    },
    { role: "Admin", isOfPath: true },
    async ({ query: { before, limit = usual }, request }) => {
      const page = { limit, ...(before !== undefined && { before: BigInt(before) }) };
      return { data: (await listActs(database, callerOf(request).project, page)).map(shownAct) };
    },
  );
}
