import { html } from "../../http/html.js";
import type { Accounts } from "../../people/accounts.js";
import { resetPassword, sendPasswordLink } from "../../people/reset-password.js";
import type { Platform } from "../../platform.js";
import type { PageScope } from "../page-scope.js";
import { welcomeHeaders } from "../sign-in/session.js";
import { passwordField } from "./fields.js";

const address = "/password";
const title = "Reset your password";

/** Adds the pages to reset a forgotten password, if the server can send mails. */
export function addPasswordPages(pages: PageScope, platform: Platform, accounts: Accounts): void {
  if (!accounts.mail) return;

  pages.open(address, async () => ({
    title,
    body: html`<form class="stack" method="post" action="${address}">
<label>Email address <input name="email" type="email" required maxlength="254" autocomplete="username" autofocus></label>
<button class="main">Send a reset link</button></form>`,
  }));

  pages.openPost(address, async ({ form, request }) => {
    sendPasswordLink(platform, accounts, {
      email: form.get("email") ?? "",
      address: request.ip,
      log: request.log,
    });
    return {
      title,
      body: html`<p>If an account has this email address, a reset link is on its way to it.</p>`,
    };
  });

  pages.open(`${address}/:token`, async ({ path: { token = "" } }) => ({
    title,
    body: html`<form class="stack" method="post" action="${address}/${encodeURIComponent(token)}">
${passwordField("password", "New password, at least 12 characters", "new-password")}
<button class="main">Set password and sign in</button></form>
<p class="soft small">This signs you out everywhere else, including on command lines.</p>`,
  }));

  pages.openPost(`${address}/:token`, async ({ path: { token = "" }, form, request, reply }) => {
    const password = form.get("password") ?? "";
    const begun = await resetPassword(platform.database, accounts, token, {
      password,
      address: request.ip,
    });
    reply.header("set-cookie", welcomeHeaders(begun, platform));
    return "/";
  });
}
