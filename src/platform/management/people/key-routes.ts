import type { FastifyInstance } from "fastify";
import { longestName, roleSchema } from "../../../api/account-operations.js";
import { dataOf, listOf, objectOf } from "../../../api/extension.js";
import { addExtension } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import { callerOf } from "../../http/roles.js";
import { listApiKeys } from "../../people/api-keys.js";
import { createKey, revokeKey } from "../../people/manage-keys.js";
import { readName } from "../../people/names.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { keySchema, newKeySchema, shownKey } from "./shown.js";

/** The routes of API keys. */
export function keyRoutes(app: FastifyInstance, { database }: Platform): void {
  addExtension(
    app,
    {
      method: "GET",
      path: "/projects/{id}/api-keys",
      summary: "Lists the API keys of a project, including revoked ones.",
      answer: dataOf(listOf(keySchema)),
    },
    { role: "Viewer", isOfPath: true },
    async ({ request }) => ({
      data: (await listApiKeys(database, callerOf(request).project)).map(shownKey),
    }),
  );

  addExtension(
    app,
    {
      method: "POST",
      path: "/projects/{id}/api-keys",
      summary: "Creates an API key for a project.",
      body: objectOf({ name: { type: "string", minLength: 1, maxLength: longestName }, role: roleSchema }),
      answer: dataOf(newKeySchema),
      status: 201,
    },
    { role: "Editor", isOfPath: true },
    async ({ body, request, reply }) => {
      const name = readName(body.name);
      if (name === undefined) {
        const errors = [{ field: "name", message: "must not be blank or contain control characters" }];
        throw new Problem("bad-request", "The body has invalid fields: name.", { errors });
      }
      const { key, ...made } = await createKey(database, doerOf(request), { name, role: body.role });
      reply.header("cache-control", "no-store");
      return { data: { ...shownKey(made), key } };
    },
  );

  addExtension(
    app,
    {
      method: "DELETE",
      path: "/projects/{id}/api-keys/{keyId}",
      summary: "Revokes an API key of a project.",
    },
    { role: "Editor", isOfPath: true },
    async ({ path, request }) => revokeKey(database, doerOf(request), path.keyId ?? ""),
  );
}
