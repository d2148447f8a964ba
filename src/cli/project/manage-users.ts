import type { EndedMembership, MadeInvitation, Role } from "../../api/account-operations.js";
import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { openSession, projectOf, type RemoteArguments } from "../remote/session.js";
import { confirmAtTerminal, declined } from "../subgraph/confirm.js";
import { made, makeChange } from "../subgraph/make-change.js";
import { printRows } from "../subgraph/print-rows.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { revokedText } from "./revoked-text.js";

/** Arguments of a command about one person. */
export interface UserArguments extends RemoteArguments {
  readonly email: string;
}

/** Lists the members of the project and the invited people; returns the exit code. */
export async function listUsers(
  args: RemoteArguments & OutputArguments,
  terminal: Terminal,
): Promise<number> {
  const session = await openSession(args, terminal);
  printRows(
    await session.accounts.listMembers((await projectOf(session)).id),
    [
      { title: "EMAIL", cell: ({ email }) => email, mayShrink: true },
      { title: "NAME", cell: ({ name }) => name ?? "", mayShrink: true },
      { title: "ROLE", cell: ({ role }) => role },
      { title: "STATUS", cell: ({ status }) => status },
      { title: "SINCE", cell: ({ since }) => since.slice(0, "2026-01-01".length) },
    ],
    args,
    terminal,
  );
  return exitCodes.clean;
}

/** Arguments of `project users invite`. */
export interface InviteArguments extends RemoteArguments, OutputArguments {
  readonly emails: readonly string[];
  readonly role: Role;
}

/** Invites people, and prints the links that the server did not mail; returns the exit code. */
export async function inviteUsers(args: InviteArguments, terminal: Terminal): Promise<number> {
  const emails = args.emails.flatMap((text) => text.split(",")).map((text) => addressOf(text, "--emails"));
  const session = await openSession(args, terminal);
  const project = await projectOf(session);
  const invited = await makeChange<readonly MadeInvitation[]>({
    claim: `${emails.join(", ")} were invited`,
    make: () => session.accounts.invite(project.id, { emails, role: args.role }),
    // The list of users shows invited people, but not the links.
    look: () => Promise.reject(new Error("nothing tells the links")),
    advice: "Invite them again to get the links. The first links then stop working.",
  });
  if (args.output === "json") printJson(invited, terminal);
  else for (const each of invited) terminal.out(invitationText(each));
  return exitCodes.clean;
}

function invitationText({ email, role, link, mailed, expires_at }: MadeInvitation): string {
  const who = `Invited ${visible(email)} as ${visible(role)}`;
  const day = visible(expires_at.slice(0, "2026-01-01".length));
  return mailed
    ? `${who}. A link was mailed and is valid until ${day}.\n`
    : `${who}. Send them this link. Anyone who has it can join until ${day}:\n  ${visible(link)}\n`;
}

/** Removes a member from the project, or withdraws an invitation; returns the exit code. */
export async function removeUser(
  args: UserArguments & { readonly force: boolean },
  terminal: Terminal,
): Promise<number> {
  const email = addressOf(args.email, "--email");
  const session = await openSession(args, terminal);
  const { id, name } = await projectOf(session);
  const what = `Remove ${visible(email)} from the project ${visible(name)}?`;
  if (!(await confirmAtTerminal(what, args.force, terminal))) return declined(terminal);
  const ended = await makeChange<EndedMembership | undefined>({
    claim: `${email} was removed`,
    make: () => session.accounts.removeMember(id, email),
    look: async () => {
      const members = await session.accounts.listMembers(id);
      return members.some((each) => isSame(each.email, email)) ? undefined : made;
    },
    advice: "Check who is in the project: graphloom project users list",
  });
  terminal.out(`Removed ${visible(email)} from the project ${visible(name)}.${revokedText(ended, "they")}\n`);
  return exitCodes.clean;
}

/** Changes a member's role; returns the exit code. */
export async function updateUser(
  args: UserArguments & { readonly role: Role },
  terminal: Terminal,
): Promise<number> {
  const wanted = addressOf(args.email, "--email");
  const session = await openSession(args, terminal);
  const project = await projectOf(session);
  const { email, role } = await makeChange({
    claim: `${wanted} has the role ${args.role}`,
    make: () => session.accounts.setRole(project.id, { email: wanted, role: args.role }),
    look: async () => {
      const members = await session.accounts.listMembers(project.id);
      const answer = members.find((each) => isSame(each.email, wanted));
      return answer?.role === args.role ? { answer } : undefined;
    },
    advice: "Check the roles: graphloom project users list",
  });
  terminal.out(`${visible(email)} is now ${visible(role)} in the project ${visible(project.name)}.\n`);
  return exitCodes.clean;
}

/** @throws UsageError for a string that is certainly not an email address; the server checks the rest */
function addressOf(text: string, option: string): string {
  const email = text.trim();
  if (/^[^\s@]+@[^\s@]+$/.test(email)) return email;
  throw new UsageError(
    `${option}: ${visible(email) || "an empty string"} is not an email address (for example ann@example.com).`,
  );
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
