import type { FastifyInstance } from "fastify";
import { addExtension } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import { dataOf, listOf, objectOf, roleSchema, textOf, timeSchema } from "../../http/extension.js";
import { callerOf } from "../../http/roles.js";
import type { Accounts } from "../../people/accounts.js";
import { longestEmail, readEmail } from "../../people/email.js";
import { sendInvitations } from "../../people/invite.js";
import { changeMemberRole, dismissMember, listEverybody } from "../../people/manage-members.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { memberSchema, revokedSchema, shownMember } from "./shown.js";

/** Addresses that one request may invite. */
const mostInvited = 50;

/**
 * The routes of members, below `/api/v1`:
 *
 * - `GET /projects/{id}/members` (Viewer) → 200 `{data: [{email, name?, role, status: "member" | "invited", since}]}`
 * - `POST /projects/{id}/invitations` (Admin) `{emails: [1 to 50], role?}`, without a role as Viewer → 201
 *   `{data: [{email, role, link, mailed, expires_at}]}`; 409 when one of them is a member already, and nobody is invited
 * - `PATCH /projects/{id}/members/{email}` (Admin) `{role}` → 200 `{data: <member>}`; 404, 422 for the only Owner
 * - `DELETE /projects/{id}/members/{email}` (Admin) → 200 `{data: {revoked_keys}}`, also for who is only invited; 404, 422
 *   for the only Owner. Keys of the project that they have made are revoked.
 *
 * Nobody gives, changes or takes a role above their own (403).
 */
export function memberRoutes(app: FastifyInstance, platform: Platform, accounts: Accounts): void {
  const { database } = platform;
  const ofProject = { isOfPath: true } as const;

  addExtension(
    app,
    {
      ...ofProject,
      method: "GET",
      path: "/projects/:id/members",
      role: "Viewer",
      summary: "Who is in a project, and who is invited to it",
      answer: dataOf(listOf(memberSchema)),
    },
    async ({ request }) => ({
      data: (await listEverybody(database, callerOf(request).project)).map(shownMember),
    }),
  );

  addExtension(
    app,
    {
      ...ofProject,
      method: "POST",
      path: "/projects/:id/invitations",
      role: "Admin",
      summary: "Invite people to a project",
      body: objectOf({
        emails: {
          type: "array",
          items: { type: "string", maxLength: longestEmail },
          minItems: 1,
          maxItems: mostInvited,
        },
        "role?": { ...roleSchema, default: "Viewer" },
      }),
      answer: dataOf(
        listOf(
          objectOf({
            email: textOf(),
            role: roleSchema,
            link: textOf("What the person opens; whoever has it can join."),
            mailed: { type: "boolean", description: "Whether the server has sent the link by mail." },
            expires_at: timeSchema,
          }),
        ),
      ),
      status: 201,
    },
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

  addExtension(
    app,
    {
      ...ofProject,
      method: "PATCH",
      path: "/projects/:id/members/:email",
      role: "Admin",
      summary: "Give a member another role",
      body: objectOf({ role: roleSchema }),
      answer: dataOf(memberSchema),
    },
    async ({ path, body, request }) => {
      const changed = await changeMemberRole(database, doerOf(request), emailIn(path), body.role);
      return { data: shownMember(changed) };
    },
  );

  addExtension(
    app,
    {
      ...ofProject,
      method: "DELETE",
      path: "/projects/:id/members/:email",
      role: "Admin",
      summary: "Remove a member and the keys they have made, or take an invitation back",
      answer: dataOf(objectOf({ revoked_keys: revokedSchema })),
    },
    async ({ path, request }) => {
      const { revokedKeys } = await dismissMember(database, doerOf(request), emailIn(path));
      return { data: { revoked_keys: revokedKeys } };
    },
  );
}

function emailIn({ email = "" }: Readonly<Record<string, string>>): string {
  return readEmail(email) ?? email;
}

/** @throws Problem */
function emailsIn(texts: readonly string[]): readonly string[] {
  const read = texts.map(readEmail);
  const errors = read.flatMap((email, index) =>
    email === undefined ? [{ field: `emails.${index}`, message: "is no address of mail" }] : [],
  );
  if (errors.length > 0) throw new Problem("bad-request", "Correct in the body: emails.", { errors });
  return read.filter((email) => email !== undefined);
}
