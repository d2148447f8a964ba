import type { FastifyInstance } from "fastify";
import { addExtension } from "../../http/add-extension.js";
import { dataOf, objectOf, textOf, timeSchema } from "../../http/extension.js";
import { identityOf } from "../../http/roles.js";
import type { Accounts } from "../../people/accounts.js";
import { noteAct } from "../../people/audit.js";
import { exchangeCode } from "../../people/authorization.js";
import { endSession } from "../../people/sessions.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { projectsSchema, shownProject, shownUser, userSchema } from "./shown.js";

/**
 * The routes of signing in, below `/api/v1`:
 *
 * - `GET /auth` (anyone) → 200 `{data: {password: true, oidc?: {name}, sign_up: "open" | "invited"}}`
 * - `POST /auth/token` (anyone) `{grant_type: "authorization_code", code, code_verifier, client_id, redirect_uri}` → 200
 *   `{data: {token, expires_at, user: {id, email, name}, projects: [{id, name, role}]}}`; 400 for a code that is good for
 *   nothing, 429 for too many attempts. The code comes from the page `/authorize` (`accounts/authorization.ts`).
 * - `DELETE /auth/token` → 204: ends the token that is sent; 403 for a key
 */
export function authRoutes(app: FastifyInstance, { database }: Platform, accounts: Accounts): void {
  addExtension(
    app,
    {
      method: "GET",
      path: "/auth",
      role: "anyone",
      summary: "How people sign in",
      answer: dataOf(
        objectOf({
          password: { type: "boolean" },
          "oidc?": objectOf({ name: textOf("What the provider is called.") }),
          sign_up: { type: "string", enum: ["open", "invited"] },
        }),
      ),
    },
    async () => ({
      data: {
        password: true,
        ...(accounts.oidc && { oidc: { name: accounts.oidc.name } }),
        sign_up: accounts.signUp,
      },
    }),
  );

  const text = { type: "string", minLength: 1, maxLength: 500 };
  addExtension(
    app,
    {
      method: "POST",
      path: "/auth/token",
      role: "anyone",
      summary: "Exchange the code of a login for a token",
      body: objectOf({
        grant_type: { type: "string", enum: ["authorization_code"] },
        code: text,
        code_verifier: { type: "string", pattern: "^[A-Za-z0-9._~-]{43,128}$" },
        client_id: text,
        redirect_uri: text,
      }),
      answer: dataOf(
        objectOf({
          token: textOf("`glu_…`, for the header Authorization."),
          expires_at: timeSchema,
          user: userSchema,
          projects: projectsSchema,
        }),
      ),
    },
    async ({ body, request, reply }) => {
      accounts.limits.address.count(request.ip);
      const { token, expiresAt, user, projects } = await exchangeCode(database, {
        code: body.code,
        client: body.client_id,
        redirectUri: body.redirect_uri,
        verifier: body.code_verifier,
        address: request.ip,
      });
      accounts.limits.address.forgive(request.ip);
      reply.header("cache-control", "no-store");
      return {
        data: {
          token,
          expires_at: expiresAt.toISOString(),
          user: shownUser(user),
          projects: projects.map(shownProject),
        },
      };
    },
  );

  addExtension(
    app,
    { method: "DELETE", path: "/auth/token", role: "signed-in", summary: "End the token that is sent" },
    async ({ request }) => {
      const identity = identityOf(request);
      if (identity.kind === "key") {
        throw new Problem(
          "forbidden",
          "A key does not end by logging out: revoke it with DELETE /api/v1/projects/{id}/api-keys/{keyId}.",
        );
      }
      const { id, user } = identity.session;
      await database.transaction(async (sql) => {
        await endSession(sql, id);
        const actor = { id: user.id, name: user.email };
        await noteAct(sql, { actor, action: "session.end", subject: "command line", address: request.ip });
      });
    },
  );
}
