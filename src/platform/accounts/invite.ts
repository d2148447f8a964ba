import type { FastifyBaseLogger } from "fastify";
import type { Role } from "../catalog/api-keys.js";
import { invitationDays } from "../catalog/invitations.js";
import { findProject } from "../catalog/projects.js";
import type { Doer } from "../http/doer.js";
import type { Platform } from "../platform.js";
import type { Accounts } from "./accounts.js";
import { inviteMembers, type NewInvitation } from "./manage-members.js";

/** Whom to invite, and who does it. */
export interface Inviting {
  readonly doer: Doer;
  /** In small letters. */
  readonly emails: readonly string[];
  readonly role: Role;
  readonly log: Pick<FastifyBaseLogger, "warn">;
}

/** An invitation as it reaches somebody. */
export interface SentInvitation extends NewInvitation {
  /** What the person opens. */
  readonly link: string;
  readonly isMailed: boolean;
}

/** Invites people, and sends them their links where the server has mail. @throws Problem, DatabaseError */
export async function sendInvitations(
  { database, settings }: Platform,
  { mail }: Accounts,
  { doer, emails, role, log }: Inviting,
): Promise<readonly SentInvitation[]> {
  const made = await inviteMembers(database, doer, emails, role);
  const name = (await findProject(database, doer.caller.project))?.name ?? "";
  return Promise.all(
    made.map(async (invitation) => {
      const link = `${settings.address()}/invitations/${invitation.token}`;
      const message = {
        to: invitation.email,
        subject: `Join ${name} on graphloom`,
        text: textOf({ from: doer.caller.name, name, role, link }),
      };
      const isMailed = mail?.send(message).then(
        () => true,
        (error) => {
          log.warn({ err: error }, "an invitation could not be sent by mail");
          return false;
        },
      );
      return { ...invitation, link, isMailed: (await isMailed) === true };
    }),
  );
}

function textOf({ from, name, role, link }: Readonly<Record<"from" | "name" | "role" | "link", string>>) {
  return [
    `${from} invites you to the project "${name}" as ${role}. To join, open:`,
    link,
    `The link is good for ${invitationDays} days. Whoever has it can join: do not pass it on.`,
  ].join("\n\n");
}
