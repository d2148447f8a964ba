import { type Html, html } from "../../http/html.js";
import type { Accounts } from "../../people/accounts.js";
import { findInvitation, type Invitation } from "../../people/invitations.js";
import { acceptInvitation, joinWithAccount, noInvitation } from "../../people/open-account.js";
import { findProject } from "../../people/projects.js";
import { showProject } from "../../people/sign-in/sessions.js";
import type { User } from "../../people/users.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import type { PageScope } from "../page-scope.js";
import { welcomeHeaders } from "../sign-in/session.js";
import { passwordField } from "./fields.js";

const address = "/invitations/:token";

/** Adds the pages that invitations link to, to join with an existing or a new account. */
export function addInvitationPages(pages: PageScope, platform: Platform, accounts: Accounts): void {
  const { database } = platform;

  pages.open(address, async ({ path: { token = "" }, visitor, request }) => {
    accounts.limits.address.count(request.ip);
    const invitation = await findInvitation(database, token);
    if (!invitation) throw noInvitation();
    const name = (await findProject(database, invitation.project))?.name ?? "";
    const user = visitor?.session?.user;
    return { title: `Join ${name}`, body: invitationPage(invitation, token, user) };
  });

  pages.openPost(`${address}/join`, async ({ path: { token = "" }, visitor, request }) => {
    if (!visitor?.session) throw new Problem("unauthorized", "Sign in with your account first.");
    const project = await acceptInvitation(database, token, visitor.session.user, request.ip);
    await showProject(database, visitor.session.id, project);
    return "/";
  });

  pages.openPost(`${address}/account`, async ({ path: { token = "" }, form, request, reply }) => {
    accounts.limits.address.count(request.ip);
    const begun = await joinWithAccount(database, accounts, token, {
      name: form.get("name") ?? "",
      password: form.get("password") ?? "",
      address: request.ip,
    });
    reply.header("set-cookie", welcomeHeaders(begun, platform));
    return "/";
  });
}

function invitationPage({ email, role }: Invitation, token: string, user: User | undefined): Html {
  const own = `/invitations/${encodeURIComponent(token)}`;
  if (user) {
    return html`<p>You are signed in as ${user.email} and will join as ${role}.</p>
${user.email !== email && html`<p class="notice">This invitation is for ${email}.</p>`}
<form class="line" method="post" action="${own}/join"><button class="main">Join</button></form>`;
  }
  return html`<p>${email} is invited to join as ${role}.</p>
<h2>Create an account</h2>
<form class="stack" method="post" action="${own}/account">
<input type="hidden" name="username" value="${email}">
<label>Your name <input name="name" required maxlength="80" autocomplete="name"></label>
${passwordField("password", "Password, at least 12 characters", "new-password")}
<button class="main">Create account and join</button></form>
<h2>Already have an account?</h2>
<p><a href="/sign-in?next=${encodeURIComponent(own)}">Sign in to join</a></p>`;
}
