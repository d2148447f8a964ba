import type { FastifyInstance } from "fastify";
import { dataOf, listOf } from "../../../api/extension.js";
import { addExtension } from "../../http/add-extension.js";
import { callerOf } from "../../http/roles.js";
import { listActs } from "../../people/audit.js";
import type { Platform } from "../../platform.js";
import { actSchema, shownAct } from "./shown.js";

/** The default number of entries per page. */
const usual = 50;

/** The route of a project's audit log. Newest entries come first; the next page continues with older ones. */
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
          description: "Return only entries older than the one with this id.",
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
