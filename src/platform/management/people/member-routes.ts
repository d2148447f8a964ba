import type { FastifyInstance } from "fastify";
import { accountOperations } from "../../../api/account-operations.js";
import { addExtension } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import { callerOf } from "../../http/roles.js";
import type { Accounts } from "../../people/accounts.js";
import { sendInvitations } from "../../people/invite.js";
import { readEmail } from "../../people/mail/email.js";
import { changeMemberRole, dismissMember, listEverybody } from "../../people/manage-members.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { shownMember } from "./shown.js";

/** The routes of members. Members cannot give, change or remove a role above their own. */
export function memberRoutes(app: FastifyInstance, platform: Platform, accounts: Accounts): void {
  const { database } = platform;
  const { listMembers, createInvitations, updateMember, deleteMember } = accountOperations;

  addExtension(app, listMembers, { role: "Viewer", isOfPath: true }, async ({ request }) => ({
    data: (await listEverybody(database, callerOf(request).project)).map(shownMember),
  }));

  addExtension(
    app,
    createInvitations,
    { role: "Admin", isOfPath: true },
    async ({ body, request, reply }) => {
      const { emails, role = "Viewer" } = body;
      const invited = await sendInvitations(platform, accounts, {
        doer: doerOf(request),
        emails: emailsIn(emails),
        role,
        log: request.log,
      });
      reply.header("cache-control", "no-store");
      return {
        data: invited.map(({ email, role: given, link, isMailed, expiresAt }) => ({
          email,
          role: given,
          link,
          mailed: isMailed,
          expires_at: expiresAt.toISOString(),
        })),
      };
    },
  );

  addExtension(app, updateMember, { role: "Admin", isOfPath: true }, async ({ path, body, request }) => {
    const changed = await changeMemberRole(database, doerOf(request), emailIn(path), body.role);
    return { data: shownMember(changed) };
  });

  addExtension(app, deleteMember, { role: "Admin", isOfPath: true }, async ({ path, request }) => {
    const { revokedKeys } = await dismissMember(database, doerOf(request), emailIn(path));
    return { data: { revoked_keys: revokedKeys } };
  });
}

function emailIn({ email = "" }: Readonly<Record<string, string>>): string {
  return readEmail(email) ?? email;
}

/** @throws Problem */
function emailsIn(texts: readonly string[]): readonly string[] {
  const read = texts.map(readEmail);
  const errors = read.flatMap((email, index) =>
    email === undefined ? [{ field: `emails.${index}`, message: "is not an email address" }] : [],
  );
  if (errors.length > 0) throw new Problem("bad-request", "The body has invalid fields: emails.", { errors });
  return read.filter((email) => email !== undefined);
}
