import type { FastifyInstance } from "fastify";
import { accountOperations } from "../../../api/account-operations.js";
import { addExtension } from "../../http/add-extension.js";
import { identityOf } from "../../http/roles.js";
import type { Accounts } from "../../people/accounts.js";
import { noteAct } from "../../people/audit.js";
import { exchangeCode } from "../../people/authorization.js";
import { endSession } from "../../people/sign-in/sessions.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { shownProject, shownUser } from "./shown.js";

/**
 * The routes for signing in. The code that is exchanged for a token comes from the page `/authorize`
 * (`people/authorization.ts`).
 */
export function authRoutes(app: FastifyInstance, { database }: Platform, accounts: Accounts): void {
  addExtension(app, accountOperations.getSignIn, { role: "anyone" }, async () => ({
    data: {
      password: true,
      ...(accounts.oidc && { oidc: { name: accounts.oidc.name } }),
      sign_up: accounts.signUp,
    },
  }));

  addExtension(app, accountOperations.createToken, { role: "anyone" }, async ({ body, request, reply }) => {
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
  });

  addExtension(app, accountOperations.deleteToken, { role: "signed-in" }, async ({ request }) => {
    const identity = identityOf(request);
    if (identity.kind === "key") {
      throw new Problem(
        "forbidden",
        "Logging out does not end an API key. Revoke it with DELETE /api/v1/projects/{id}/api-keys/{keyId}.",
      );
    }
    const { id, user } = identity.session;
    await database.transaction(async (sql) => {
      await endSession(sql, id);
      const actor = { id: user.id, name: user.email };
      await noteAct(sql, { actor, action: "session.end", subject: "command line", address: request.ip });
    });
  });
}
