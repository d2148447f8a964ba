import type { FastifyBaseLogger } from "fastify";
import type { Platform } from "../platform.js";
import type { Accounts } from "./accounts.js";
import type { Role } from "./api-keys.js";
import type { Doer } from "./doer.js";
import { invitationDays } from "./invitations.js";
import { mayMail } from "./mail/mail-limits.js";
import { inviteMembers, type NewInvitation } from "./manage-members.js";
import { findProject } from "./projects.js";

/** Maximum characters of a name in the subject of a message. */
const longest = 60;

/** The people to invite, and the caller who invites them. */
export interface Inviting {
  readonly doer: Doer;
  /** In lower case. */
  readonly emails: readonly string[];
  readonly role: Role;
  readonly log: Pick<FastifyBaseLogger, "warn">;
}

/** An invitation with its link. */
export interface SentInvitation extends NewInvitation {
  /** The link that the invited person opens. */
  readonly link: string;
  readonly isMailed: boolean;
}

/**
 * Invites people, and emails their links if the server has mail and its limits allow it.
 * @throws Problem, DatabaseError
 */
export async function sendInvitations(
  { database, settings }: Platform,
  { mail }: Accounts,
  { doer, emails, role, log }: Inviting,
): Promise<readonly SentInvitation[]> {
  const { id: sender, name: from, project } = doer.caller;
  const made = await inviteMembers(database, doer, emails, role);
  const name = (await findProject(database, project))?.name ?? "";
  const subject = `Join ${quoted(name)} on graphloom`;

  const send = async (to: string, link: string): Promise<boolean> => {
    if (!mail) return false;
    if (!(await mayMail(database, { kind: "invitation", recipient: to, project, sender }))) {
      log.warn({ project, sender }, "an invitation was not sent by email: the limit on emails is reached");
      return false;
    }
    await mail.send({ to, subject, text: mailText({ from, name: quoted(name), role, link }) });
    return true;
  };
  return Promise.all(
    made.map(async (invitation) => {
      const link = `${settings.address()}/invitations/${invitation.token}`;
      const isMailed = await send(invitation.email, link).catch((error) => {
        log.warn({ err: error }, "an invitation could not be sent by email");
        return false;
      });
      return { ...invitation, link, isMailed };
    }),
  );
}

function mailText({ from, name, role, link }: Readonly<Record<"from" | "name" | "role" | "link", string>>) {
  return [
    `${from} has invited you to the project ${name} as ${role}. To join, open this link:`,
    link,
    `The link is valid for ${invitationDays} days. Anyone who has it can join, so do not forward it.`,
  ].join("\n\n");
}

/** A name for the subject of a message: quoted, on one line, and without characters that reorder the text around it. */
function quoted(name: string): string {
  const plain = name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/["“”„«»]/g, "'")
    .trim();
  const characters = [...plain];
  const shown = characters.length > longest ? `${characters.slice(0, longest - 1).join("")}…` : plain;
  return `"${shown}"`;
}
