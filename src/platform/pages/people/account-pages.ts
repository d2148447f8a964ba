import type { Accounts } from "../../accounts/accounts.js";
import { readEmail } from "../../accounts/email.js";
import { changePassword, ownWithAccount } from "../../accounts/open-account.js";
import { Problem } from "../../http/problem.js";
import type { Platform } from "../../platform.js";
import { type Html, html } from "../html.js";
import type { PageScope } from "../page-scope.js";
import { cookieHeader, type Visitor } from "../session.js";
import { localPath } from "../sign-in-page.js";
import { passwordField } from "./fields.js";

const address = "/account";

/** The page of one's own account: who has come with an Owner's key makes one, others change their password. */
export function addAccountPages(pages: PageScope, platform: Platform, accounts: Accounts): void {
  const { database } = platform;
  pages.open(address, async ({ visitor, query }) =>
    visitor
      ? { title: "Account", body: accountPage(visitor, localPath(query.get("next") ?? undefined)) }
      : `/sign-in?next=${address}`,
  );

  pages.post(address, "Owner", async ({ caller, form, request, reply }) => {
    const email = readEmail(form.get("email") ?? "");
    if (email === undefined) throw new Problem("bad-request", "Give an address of mail.");
    const doer = { caller, address: request.ip };
    const begun = await ownWithAccount(database, accounts, doer, {
      email,
      name: form.get("name") ?? "",
      password: form.get("password") ?? "",
      address: request.ip,
    });
    reply.header("set-cookie", cookieHeader(begun.token, platform));
    return localPath(form.get("next") ?? undefined);
  });

  pages.openPost(`${address}/password`, async ({ visitor, form, request, reply }) => {
    if (!visitor?.session) return "/sign-in";
    const begun = await changePassword(database, accounts, visitor.session.user, {
      old: form.get("old") ?? "",
      new: form.get("new") ?? "",
      address: request.ip,
    });
    reply.header("set-cookie", cookieHeader(begun.token, platform));
    return address;
  });
}

function accountPage({ session, caller }: Visitor, next: string): Html {
  if (session) {
    return html`<dl><dt>Name</dt><dd>${session.user.name}</dd><dt>E-mail</dt><dd>${session.user.email}</dd></dl>
<h2>Password</h2>
<form class="line" method="post" action="${address}/password">
${passwordField("old", "The one you have", "current-password")}
${passwordField("new", "Another one, at least 12 characters", "new-password")}
<button>Change it</button></form>
<p class="soft small">You are signed out everywhere else then, also on command lines.</p>`;
  }
  if (caller?.role !== "Owner") {
    return html`<p>You have come with the key "${caller?.name ?? ""}". An account is made by an invitation: ask an Owner or an Admin of the project for one, under Members.</p>`;
  }
  return html`<p>You have come with the key "${caller.name}". With an account of your own, you can be in several projects, log in on the command line, and others see what you have done.</p>
<form class="line" method="post" action="${address}">
<input type="hidden" name="next" value="${next}">
<label>E-mail <input name="email" type="email" required maxlength="254" autocomplete="username"></label>
<label>Your name <input name="name" required maxlength="80" autocomplete="name"></label>
${passwordField("password", "Password, at least 12 characters", "new-password")}
<button class="main">Create your account</button></form>`;
}
