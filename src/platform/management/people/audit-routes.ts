import type { FastifyInstance } from "fastify";
import { dataOf, listOf } from "../../../api/extension.js";
import { addExtension } from "../../http/add-extension.js";
import { goneOf } from "../../http/limits/gone-of.js";
import { callerOf } from "../../http/roles.js";
import { readActFilter } from "../../people/audit-filter.js";
import { readActs } from "../../people/read-acts.js";
import type { Platform } from "../../platform.js";
import { actSchema, shownAct } from "./shown.js";

/** The default number of entries per page. */
const usual = 50;

const shortText = { type: "string", minLength: 1, maxLength: 200 };

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
        by: {
          ...shortText,
          description: "The id of an API key or a user, or a part of the name that they had then.",
        },
        action: {
          ...shortText,
          description: "An action, such as `secret.reveal`, or `secret` for all actions of this kind.",
        },
        subject: { ...shortText, description: "A part of the name of what was changed." },
        from: {
          ...shortText,
          description: "Return only entries from this time on, or from the beginning of this day in UTC.",
        },
        to: {
          ...shortText,
          description: "Return only entries before this time, or until the end of this day in UTC.",
        },
      },
      answer: dataOf(listOf(actSchema)),
    },
    { role: "Admin", isOfPath: true },
    async ({ query: { before, limit = usual, ...filter }, request }) => {
      const page = { limit, ...(before !== undefined && { before: BigInt(before) }) };
      const reader = { project: callerOf(request).project, gone: goneOf(request) };
      return { data: (await readActs(database, reader, page, readActFilter(filter))).map(shownAct) };
    },
  );
}
