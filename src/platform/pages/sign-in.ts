import type { FastifyInstance } from "fastify";
import { findApiKey } from "../catalog/api-keys.js";
import type { Platform } from "../platform.js";
import { forAnyone, sendPage } from "./page-scope.js";
import { cookieHeader, isFromHere, sessionFor } from "./session.js";
import type { SignInCodes } from "./sign-in-codes.js";
import { localPath, signInPage } from "./sign-in-page.js";

/** Signing in with a key or with a code that was printed, and signing out. */
export function addSignIn(app: FastifyInstance, platform: Platform, codes: SignInCodes): void {
  app.get<{ Querystring: { next?: string; code?: string } }>(
    "/sign-in",
    forAnyone,
    async ({ query }, reply) => {
      const next = localPath(query.next);
      const keyId = query.code === undefined ? undefined : codes.redeem(query.code);
      if (keyId !== undefined) {
        return reply
          .header("set-cookie", cookieHeader(sessionFor(keyId, platform), platform))
          .redirect(next, 303);
      }
      const problem = query.code === undefined ? undefined : "The code was used already, or is too old.";
      return sendPage(reply, { title: "Sign in", body: signInPage(next, problem), isSignedIn: false });
    },
  );

  app.post("/sign-in", forAnyone, async (request, reply) => {
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const next = localPath(form.get("next") ?? undefined);
    const found =
      isFromHere(request) && (await findApiKey(platform.database, (form.get("key") ?? "").trim()));
    if (found) {
      return reply
        .header("set-cookie", cookieHeader(sessionFor(found.id, platform), platform))
        .redirect(next, 303);
    }
    const body = signInPage(next, "The key is not known, or was revoked.");
    return sendPage(reply.status(401), { title: "Sign in", body, isSignedIn: false });
  });

  app.post("/sign-out", forAnyone, async (request, reply) => {
    if (isFromHere(request)) reply.header("set-cookie", cookieHeader("", platform));
    return reply.redirect("/sign-in", 303);
  });
}
