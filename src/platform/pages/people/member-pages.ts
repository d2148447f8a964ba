import { doerOf } from "../../http/doer-of.js";
import { type Html, html } from "../../http/html.js";
import type { Caller } from "../../people/access.js";
import type { Accounts } from "../../people/accounts.js";
import { mayActAs, type Role, roles } from "../../people/api-keys.js";
import { type SentInvitation, sendInvitations } from "../../people/invite.js";
import { readEmail } from "../../people/mail/email.js";
import {
  changeMemberRole,
  dismissMember,
  type ListedMember,
  listEverybody,
} from "../../people/manage-members.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { copyButton } from "../copy-button.js";
import { createNotices } from "../notices.js";
import type { PageScope } from "../page-scope.js";
import { confirmed, dayOf, wideTable } from "../parts.js";

const address = "/members";
/** A new invitation, as the page shows it once. */
type ShownInvitation = Pick<SentInvitation, "email" | "link" | "isMailed">;

/** The most email addresses in one form. */
const mostInvited = 50;

/** Adds the page of members and their roles, to invite, change and remove them. */
export function addMemberPages(pages: PageScope, platform: Platform, accounts: Accounts): void {
  const { database } = platform;
  const notices = createNotices<readonly ShownInvitation[]>(platform, address);

  pages.get(address, "Viewer", async (visit) => {
    const { caller } = visit;
    const invited = (await notices.take(visit)) ?? [];
    return {
      title: "Members",
      body: membersPage(await listEverybody(database, caller.project), caller, invited),
      scripts: ["copy.js"],
    };
  });

  pages.post(`${address}/invite`, "Admin", async ({ visitor, form, request }) => {
    const texts = (form.get("emails") ?? "").split(/[\s,;]+/).filter((text) => text !== "");
    const emails = texts.map(readEmail).filter((email) => email !== undefined);
    if (emails.length === 0 || emails.length < texts.length || emails.length > mostInvited) {
      throw new Problem(
        "bad-request",
        `Enter 1 to ${mostInvited} email addresses, separated by spaces or commas.`,
      );
    }
    const doer = doerOf(request);
    const role = roleIn(form);
    const sent = await sendInvitations(platform, accounts, { doer, emails, role, log: request.log });
    await notices.put(
      { visitor },
      sent.map(({ email, link, isMailed }) => ({ email, link, isMailed })),
    );
    return address;
  });

  pages.post(`${address}/role`, "Admin", async ({ form, request }) => {
    await changeMemberRole(database, doerOf(request), emailIn(form), roleIn(form));
    return address;
  });

  pages.post(`${address}/remove`, "Admin", async ({ form, request }) => {
    await dismissMember(database, doerOf(request), emailIn(form));
    return address;
  });
}

function membersPage(
  members: readonly ListedMember[],
  caller: Caller,
  invited: readonly ShownInvitation[],
): Html {
  const mayManage = mayActAs(caller.role, "Admin");
  const head = ["Email address", "Name", "Role", "Since", "Actions"].map(
    (text) => html`<th scope="col">${text}</th>`,
  );
  const list = wideTable(
    head,
    members.map((member) => rowOf(member, mayManage && mayActAs(caller.role, member.role), caller.role)),
    "Members",
  );
  return html`${invited.length > 0 && links(invited)}
${mayManage && inviting(caller.role)}
${members.length === 0 ? noMembers : list}`;
}

const noMembers = html`<p>No members yet: the project belongs to its API keys. Invite people, and each of them gets a link to join.</p>`;

function links(invited: readonly ShownInvitation[]): Html {
  const isMailed = invited.every((each) => each.isMailed);
  return html`<div class="notice" role="status"><strong>${
    isMailed
      ? "The invitations were sent by email. They contain these links:"
      : "Give each person their link. It is not shown again, and anyone who has it can join."
  }</strong>
<dl>${invited.map(
    ({ email, link }, at) =>
      html`<dt>${email}</dt><dd><span class="mono" id="link-${at}">${link}</span> ${copyButton(`link-${at}`, `the link for ${email}`)}</dd>`,
  )}</dl></div>`;
}

function rowOf({ email, name, role, status, since }: ListedMember, mayChange: boolean, own: Role): Html {
  const field = html`<input type="hidden" name="email" value="${email}">`;
  const changing = html`<form class="row" method="post" action="${address}/role">${field}
<select name="role" aria-label="Role of ${email}">${options(own, role)}</select><button class="plain" aria-label="Change the role of ${email}">Change</button></form>`;
  const isMember = status === "member";
  const removing = confirmed({
    id: `remove-${email}`,
    word: isMember ? "Remove" : "Withdraw",
    label: isMember ? `Remove ${email}` : `Withdraw the invitation for ${email}`,
    question: isMember
      ? "This person loses access to the project at once. To let them back in, invite them again."
      : "The link in the invitation stops working at once.",
    action: `${address}/remove`,
    fields: field,
  });
  return html`<tr><td>${email}</td><td>${status === "member" ? (name ?? "") : html`<span class="soft">invited</span>`}</td>
<td>${mayChange ? changing : role}</td><td>${dayOf(since)}</td><td>${mayChange && removing}</td></tr>`;
}

function inviting(own: Role): Html {
  return html`<form class="line" method="post" action="${address}/invite">
<label>Email addresses <input name="emails" required maxlength="5000" size="40" autocomplete="off"></label>
<label>Role <select name="role">${options(own, "Viewer")}</select></label>
<button class="main">Invite</button></form>`;
}

function options(own: Role, selected: Role): readonly Html[] {
  return roles
    .filter((role) => mayActAs(own, role))
    .map((role) => html`<option${role === selected && html` selected`}>${role}</option>`);
}

function emailIn(form: URLSearchParams): string {
  const given = form.get("email") ?? "";
  const email = readEmail(given);
  if (email === undefined)
    throw new Problem("not-found", "The project has no member or invitation with this email address.");
  return email;
}

function roleIn(form: URLSearchParams): Role {
  const role = roles.find((each) => each === form.get("role"));
  if (!role) throw new Problem("bad-request", `The role must be one of ${roles.join(", ")}.`);
  return role;
}
