import type { Accounts } from "../people/accounts.js";
import { findApiKey, findApiKeyById } from "../people/api-keys.js";
import { signInWithKey, signInWithPassword, signOut } from "../people/sign-in/sign-in.js";
import { hasUsers } from "../people/users.js";
import type { Platform } from "../platform.js";
import type { Content, PageScope } from "./page-scope.js";
import { cookieHeader, cookieOf, markName, welcomeHeaders } from "./sign-in/session.js";
import type { SignInCodes } from "./sign-in/sign-in-codes.js";
import { localPath, signInPage } from "./sign-in/sign-in-page.js";

const unsaved = "You are no longer signed in, and the form was not saved. Sign in, and submit it again.";

/** Adds the pages to sign in with a password, an API key or a printed code, and to sign out. */
export function addSignIn(
  pages: PageScope,
  platform: Platform,
  { codes, accounts }: { readonly codes: SignInCodes; readonly accounts: Accounts },
): void {
  const { database } = platform;
  const page = async (next: string, problem?: string): Promise<Content> => ({
    title: "Sign in",
    body: signInPage({
      next,
      problem,
      hasPeople: await hasUsers(database),
      oidc: accounts.oidc?.name,
      hasMail: accounts.mail !== undefined,
    }),
  });

  pages.open("/sign-in", async ({ query, visitor, request, reply }) => {
    const next = localPath(query.get("next") ?? undefined);
    const code = query.get("code");
    const keyId = code === null ? undefined : codes.redeem(code);
    const owner = keyId === undefined ? undefined : await findApiKeyById(database, keyId);
    if (owner) {
      const { token } = await database.transaction((sql) => signInWithKey(sql, owner, request.ip));
      reply.header("set-cookie", cookieHeader(token, platform));
      return next;
    }
    if (code !== null) return page(next, "The code is unknown or has expired, or it was already used.");
    if (query.has("unsaved") && !visitor) return page(next, unsaved);
    // Browsers omit the cookie on the first request that comes from a different site.
    return visitor && next !== "/" ? next : page(next);
  });

  pages.openPost("/sign-in", async ({ form, request, reply }) => {
    const next = localPath(form.get("next") ?? undefined);
    const key = form.get("key");
    if (key !== null) {
      accounts.limits.address.count(request.ip);
      const found = await findApiKey(database, key.trim());
      if (found) {
        accounts.limits.address.forgive(request.ip);
        const { token } = await database.transaction((sql) => signInWithKey(sql, found, request.ip));
        reply.header("set-cookie", cookieHeader(token, platform));
        return next;
      }
      reply.status(401);
      return page(next, "The API key is unknown or was revoked.");
    }
    const signedIn = await signInWithPassword(platform, accounts, {
      email: form.get("email") ?? "",
      password: form.get("password") ?? "",
      address: request.ip,
      mark: cookieOf(request.headers.cookie ?? "", markName),
    });
    if (signedIn) {
      reply.header("set-cookie", welcomeHeaders(signedIn, platform));
      return next;
    }
    reply.status(401);
    return page(next, "Wrong email address or password.");
  });

  pages.openPost("/sign-out", async ({ visitor, request, reply }) => {
    const { session, sessionId, caller } = visitor ?? {};
    const who = session ? { id: session.user.id, name: session.user.email } : caller;
    if (sessionId !== undefined && who)
      await signOut(database, sessionId, { caller: who, address: request.ip });
    reply.header("set-cookie", cookieHeader("", platform));
    return "/sign-in";
  });
}
