import { html } from "../../http/html.js";
import type { Accounts } from "../../people/accounts.js";
import { sealSignIn, signInFromOidc, unsealSignIn } from "../../people/sign-in/oidc-sign-in.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import type { PageScope } from "../page-scope.js";
import { cookieOf, secure, welcomeHeaders } from "../sign-in/session.js";
import { localPath } from "../sign-in/sign-in-page.js";

const address = "/sign-in/oidc";
const cookie = "graphloom_sign_in";
/** The most seconds between leaving for the provider and returning from it. */
const lifetime = 600;

/** Adds the addresses that start a sign-in through an OpenID Connect provider, and that it returns to. */
export function addOidcPages(pages: PageScope, platform: Platform, accounts: Accounts): void {
  const { database, settings, secretKey, world } = platform;
  const { oidc } = accounts;
  if (!oidc) return;
  const away = (error: unknown): Problem =>
    new Problem(
      "unavailable",
      `${oidc.name} did not answer as expected. Try again, or sign in another way.`,
      {
        cause: error,
      },
    );
  // Unlike the session cookie, the browser must send it when the provider redirects here.
  const kept = (value: string, seconds: number): string =>
    `${cookie}=${value}; Path=${address}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure(platform)}`;

  pages.open(address, async ({ query, reply, request }) => {
    accounts.limits.address.count(request.ip);
    const next = localPath(query.get("next") ?? undefined);
    const begun = await oidc.begin(`${settings.address()}${address}/callback`).catch((error) => {
      request.log.warn({ err: error }, "the request to the OpenID Connect provider failed");
      throw away(error);
    });
    const ends = world.now() + lifetime * 1000;
    reply.header("set-cookie", kept(sealSignIn(secretKey, { ...begun.checks, next, ends }), lifetime));
    return begun.address;
  });

  pages.open(`${address}/callback`, async ({ request, reply }) => {
    accounts.limits.address.count(request.ip);
    const begun = unsealSignIn(secretKey, cookieOf(request.headers.cookie ?? "", cookie) ?? "", world.now());
    if (!begun)
      throw new Problem(
        "bad-request",
        "The sign-in took too long, or it did not start in this browser. Try again.",
      );
    const returned = new URL(`${settings.address()}${request.url}`);
    const person = await oidc.finish(returned, begun).catch((error) => {
      request.log.warn({ err: error }, "a sign-in through the OpenID Connect provider was refused");
      throw new Problem(
        "forbidden",
        `The answer from ${oidc.name} is not valid for this sign-in. Sign in again.`,
        {
          cause: error,
        },
      );
    });
    const signedIn = await signInFromOidc(database, accounts, person, request.ip);
    // A successful sign-in does not count towards the limit, neither its start nor its return.
    for (const _ of ["begun", "returned"]) accounts.limits.address.forgive(request.ip);
    reply.header("set-cookie", [kept("", 0), ...welcomeHeaders(signedIn, platform)]);
    // A page of this server must redirect; otherwise the browser would not send the new cookie.
    return {
      title: "Signed in",
      body: html`<p><a href="${begun.next}">Continue</a></p>`,
      leadsTo: begun.next,
    };
  });
}
