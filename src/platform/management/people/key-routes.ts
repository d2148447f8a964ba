import type { FastifyInstance } from "fastify";
import { addExtension } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import { dataOf, listOf, objectOf, roleSchema } from "../../http/extension.js";
import { callerOf } from "../../http/roles.js";
import { listApiKeys } from "../../people/api-keys.js";
import { createKey, revokeKey } from "../../people/manage-keys.js";
import { longestName, readName } from "../../people/names.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { keySchema, newKeySchema, shownKey } from "./shown.js";

/**
 * The routes of keys, below `/api/v1`:
 *
 * - `GET /projects/{id}/api-keys` (Viewer) → 200
 *   `{data: [{id, name, role, created_at, last_used_at, revoked_at, made_by: {id, name}}]}`, the last three `null` where
 *   it never was, or where the server has made it
 * - `POST /projects/{id}/api-keys` (Editor) `{name, role}` → 201 `{data: {…the same, key}}`, the key told this once;
 *   403 for a role above one's own
 * - `DELETE /projects/{id}/api-keys/{keyId}` (Editor) → 204; 404, 403 for a role above one's own, 422 for the last way
 *   of an Owner into the project
 */
export function keyRoutes(app: FastifyInstance, { database }: Platform): void {
  addExtension(
    app,
    {
      method: "GET",
      path: "/projects/:id/api-keys",
      role: "Viewer",
      isOfPath: true,
      summary: "The keys of a project, revoked ones included",
      answer: dataOf(listOf(keySchema)),
    },
    async ({ request }) => ({
      data: (await listApiKeys(database, callerOf(request).project)).map(shownKey),
    }),
  );

  addExtension(
    app,
    {
      method: "POST",
      path: "/projects/:id/api-keys",
      role: "Editor",
      isOfPath: true,
      summary: "Make a key of a project",
      body: objectOf({ name: { type: "string", minLength: 1, maxLength: longestName }, role: roleSchema }),
      answer: dataOf(newKeySchema),
      status: 201,
    },
    async ({ body, request, reply }) => {
      const name = readName(body.name);
      if (name === undefined) {
        const errors = [{ field: "name", message: "must not be blank, nor hold control characters" }];
        throw new Problem("bad-request", "Correct in the body: name.", { errors });
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
      path: "/projects/:id/api-keys/:keyId",
      role: "Editor",
      isOfPath: true,
      summary: "Revoke a key of a project",
    },
    async ({ path, request }) => revokeKey(database, doerOf(request), path.keyId ?? ""),
  );
}
