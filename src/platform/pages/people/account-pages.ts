import { doerOf } from "../../http/doer-of.js";
import { type Html, html } from "../../http/html.js";
import type { Caller } from "../../people/access.js";
import type { Accounts } from "../../people/accounts.js";
import { listOwnActs, type NotedAct } from "../../people/audit.js";
import { readEmail } from "../../people/mail/email.js";
import { changePassword, ownWithAccount } from "../../people/open-account.js";
import {
  endSession,
  type ListedSession,
  listSessions,
  type UserSession,
} from "../../people/sign-in/sessions.js";
import { endAllSessions, endOneSession } from "../../people/sign-in/sign-in.js";
import { findUserByEmail, type User } from "../../people/users.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import type { PageScope } from "../page-scope.js";
import { confirmed, dayOf, wideTable } from "../parts.js";
import { cookieHeader, welcomeHeaders } from "../sign-in/session.js";
import { localPath } from "../sign-in/sign-in-page.js";
import { momentCell, momentHead } from "../times.js";
import { passwordField } from "./fields.js";

const address = "/account";
/** The most actions on an account to list. */
const mostActs = 20;

/** Adds the account page, to create an account with an Owner's API key, change the password and end sessions. */
export function addAccountPages(pages: PageScope, platform: Platform, accounts: Accounts): void {
  const { database } = platform;
  pages.signedIn(address, async ({ visitor, query }) => {
    const { session } = visitor;
    return {
      title: "Account",
      scripts: ["times.js"],
      body: session
        ? await ownPage(session)
        : keyPage(visitor.caller, localPath(query.get("next") ?? undefined)),
    };
  });

  const ownPage = async (session: UserSession): Promise<Html> => {
    const found = await findUserByEmail(database, session.user.email);
    return html`${accountPage(session.user, found?.passwordHash !== undefined)}
${sessionsTable(await listSessions(database, session.user.id), session.id)}
${actsTable(await listOwnActs(database, session.user.id, mostActs))}`;
  };

  pages.post(address, "Owner", async ({ visitor, form, request, reply }) => {
    const email = readEmail(form.get("email") ?? "");
    if (email === undefined) throw new Problem("bad-request", "Enter an email address.");
    const doer = doerOf(request);
    const begun = await ownWithAccount(database, accounts, doer, {
      email,
      name: form.get("name") ?? "",
      password: form.get("password") ?? "",
      address: request.ip,
    });
    // The browser signed in with an API key, and continues with the account.
    if (visitor.sessionId !== undefined) await endSession(database, visitor.sessionId);
    reply.header("set-cookie", welcomeHeaders(begun, platform));
    return localPath(form.get("next") ?? undefined);
  });

  pages.signedInPost(`${address}/password`, async ({ visitor, form, request, reply }) => {
    if (!visitor.session) return "/sign-in";
    const begun = await changePassword(database, accounts, visitor.session, {
      old: form.get("old") ?? "",
      new: form.get("new") ?? "",
      address: request.ip,
    });
    reply.header("set-cookie", welcomeHeaders(begun, platform));
    return address;
  });

  pages.signedInPost(`${address}/sessions/:id/end`, async ({ visitor, path: { id = "" }, request }) => {
    if (!visitor.session) return "/sign-in";
    await endOneSession(database, visitor.session.user, id, request.ip);
    return address;
  });

  pages.signedInPost(`${address}/sign-out`, async ({ visitor, request, reply }) => {
    if (!visitor.session) return "/sign-in";
    await endAllSessions(database, visitor.session.user, request.ip);
    reply.header("set-cookie", cookieHeader("", platform));
    return "/sign-in";
  });
}

function accountPage({ name, email }: User, hasPassword: boolean): Html {
  return html`<dl><dt>Name</dt><dd>${name}</dd><dt>Email address</dt><dd>${email}</dd></dl>
${
  hasPassword &&
  html`<h2>Password</h2>
<form class="stack" method="post" action="${address}/password">
${passwordField("old", "Current password", "current-password")}
${passwordField("new", "New password, at least 12 characters", "new-password")}
<button>Change password</button></form>
<p class="soft small">This signs you out everywhere else, including on command lines.</p>`
}`;
}

function sessionsTable(sessions: readonly ListedSession[], own: string): Html {
  const head = ["Where", "IP address", "Signed in", "Last used", "Expires", "Actions"].map(
    (text) => html`<th scope="col">${text}</th>`,
  );
  const rows = sessions.map(({ id, kind, address: from, createdAt, lastUsedAt, expiresAt }) => {
    const where = kind === "token" ? "Command line" : "Browser";
    const ending = confirmed({
      id: `end-${id}`,
      word: "Sign out",
      label: `Sign out the ${where.toLowerCase()} of ${createdAt.toISOString().slice(0, 16).replace("T", " ")} UTC`,
      question: "It has to sign in again.",
      action: `${address}/sessions/${encodeURIComponent(id)}/end`,
    });
    return html`<tr><td>${where}</td><td class="mono">${from ?? ""}</td><td>${dayOf(createdAt)}</td>
<td>${lastUsedAt ? dayOf(lastUsedAt) : "never"}</td><td>${dayOf(expiresAt)}</td><td>${id === own ? html`<span class="soft">this session</span>` : ending}</td></tr>`;
  });
  return html`<h2>Where you are signed in</h2>
${wideTable(head, rows, "Sessions")}
${confirmed({
  id: "sign-out-everywhere",
  word: "Sign out everywhere",
  label: "Sign out everywhere",
  question: "This ends all sessions in the list, here and on command lines.",
  action: `${address}/sign-out`,
})}`;
}

/** The actions on the account. Projects do not see them. */
function actsTable(acts: readonly NotedAct[]): Html {
  const head = ["Action", "How", "IP address"].map((text) => html`<th scope="col">${text}</th>`);
  const rows = acts.map(
    ({ at, action, subject, address: from }) =>
      html`<tr><td>${momentCell(at)}</td><td>${action}</td><td>${subject}</td><td class="mono">${from ?? ""}</td></tr>`,
  );
  return html`<h2>Last changes of your account</h2>
${wideTable([momentHead, ...head], rows, "Changes of your account")}`;
}

function keyPage(caller: Caller | undefined, next: string): Html {
  if (caller?.role !== "Owner") {
    return html`<p>You signed in with the API key "${caller?.name ?? ""}". To get an account, ask an Owner or Admin of the project to invite you, under Members.</p>`;
  }
  return html`<p>You signed in with the API key "${caller.name}". With your own account, you can belong to several projects and log in on the command line, and others can see what you did.</p>
<form class="stack" method="post" action="${address}">
<input type="hidden" name="next" value="${next}">
<label>Email address <input name="email" type="email" required maxlength="254" autocomplete="username"></label>
<label>Your name <input name="name" required maxlength="80" autocomplete="name"></label>
${passwordField("password", "Password, at least 12 characters", "new-password")}
<button class="main">Create your account</button></form>`;
}
