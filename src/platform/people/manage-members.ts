import type { Database, Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { mayActAs, narrowKeysOf, type Role, revokeKeysOf } from "./api-keys.js";
import { type Doer, noteDeed } from "./doer.js";
import { holdCaller } from "./hold-caller.js";
import { endInvitation, type Invitation, invite, listInvitations, setInvitedRole } from "./invitations.js";
import { listMembers, type Member, removeMember, setMemberRole } from "./members.js";
import { holdProject } from "./projects.js";

/** A member of a project, or a person invited to it. */
export interface ListedMember {
  readonly email: string;
  /** Absent for people who are only invited. */
  readonly name?: string;
  readonly role: Role;
  readonly status: "member" | "invited";
  readonly since: Date;
}

/** An invitation with the token that ends its link. */
export type NewInvitation = Invitation & { readonly token: string };

/** All members of a project, followed by the people invited to it. @throws DatabaseError */
export async function listEverybody(sql: Sql, project: string): Promise<readonly ListedMember[]> {
  const members = await listMembers(sql, project);
  return [...members.map(asMember), ...(await listInvitations(sql, project)).map(asInvited)];
}

/**
 * Invites people. An invitation replaces an earlier one of the same address.
 * @param emails in lower case
 * @throws Problem `forbidden` for a role above the caller's, `conflict` for people who are already members;
 *   DatabaseError
 */
export async function inviteMembers(
  database: Database,
  doer: Doer,
  emails: readonly string[],
  role: Role,
): Promise<readonly NewInvitation[]> {
  const { project } = doer.caller;
  requireRank(doer, role);
  return database.transaction(async (sql) => {
    await holdCaller(sql, doer.caller);
    const members = new Set((await listMembers(sql, project)).map(({ email }) => email));
    const taken = emails.filter((email) => members.has(email));
    if (taken.length > 0) {
      const detail = `Already in the project: ${taken.join(", ")}. To give a member a different role, change the role instead.`;
      throw new Problem("conflict", detail);
    }
    const earlier = await listInvitations(sql, project);
    const made: NewInvitation[] = [];
    for (const email of new Set(emails)) {
      const known = earlier.find((each) => each.email === email);
      if (known) requireRank(doer, known.role);
      made.push(await invite(sql, { project, email, role }));
      await noteDeed(sql, doer, "member.invite", `${email} as ${role}`);
    }
    return made;
  });
}

/**
 * Changes the role of a member or of an invited person. It also limits the keys that they created to the new role.
 * @throws Problem `forbidden` if the old or the new role is above the caller's, `not-found`, `unprocessable` for the
 *   only Owner; DatabaseError
 */
export async function changeMemberRole(
  database: Database,
  doer: Doer,
  email: string,
  role: Role,
): Promise<ListedMember> {
  const { project } = doer.caller;
  requireRank(doer, role);
  return database.transaction(async (sql) => {
    const { members, member, invitation } = await find(sql, doer, email);
    if (member) {
      if (role !== "Owner") requireOtherOwner(members, member);
      await setMemberRole(sql, project, member.id, role);
      await narrowKeys(sql, doer, { ...member, role });
    } else if (invitation) await setInvitedRole(sql, invitation.id, role);
    await noteDeed(sql, doer, "member.role", `${email} to ${role}`);
    return member ? asMember({ ...member, role }) : asInvited({ ...(invitation as Invitation), role });
  });
}

/** The result of ending a membership. */
export interface EndedMembership {
  /** How many keys were revoked because the member had created them. */
  readonly revokedKeys: number;
}

/**
 * Ends a membership and revokes the keys that the member created in the project, or withdraws an invitation.
 * @throws Problem `forbidden` for a role above the caller's, `not-found`, `unprocessable` for the only Owner;
 *   DatabaseError
 */
export async function dismissMember(database: Database, doer: Doer, email: string): Promise<EndedMembership> {
  return database.transaction(async (sql) => {
    const { members, member, invitation } = await find(sql, doer, email);
    if (member) {
      requireOtherOwner(members, member);
      await noteDeed(sql, doer, "member.remove", email);
      return endMembership(sql, doer, member);
    }
    if (invitation) await endInvitation(sql, invitation.id);
    await noteDeed(sql, doer, "member.uninvite", email);
    return { revokedKeys: 0 };
  });
}

/**
 * Ends the caller's membership, and revokes the keys that they created in the project.
 * @throws Problem `forbidden` for a key, `unprocessable` for the only Owner; DatabaseError
 */
export async function leaveProject(database: Database, doer: Doer): Promise<EndedMembership> {
  const { kind, id, name, project } = doer.caller;
  if (kind === "key") {
    throw new Problem(
      "forbidden",
      "A key cannot leave a project; revoke it instead. To leave as a person, log in to your account.",
    );
  }
  return database.transaction(async (sql) => {
    await holdProject(sql, project);
    const members = await listMembers(sql, project);
    const own = members.find((member) => member.id === id);
    if (!own) return { revokedKeys: 0 };
    requireOtherOwner(members, own);
    await noteDeed(sql, doer, "member.leave", name);
    return endMembership(sql, doer, own);
  });
}

/** Otherwise people could keep a higher role through keys that they created earlier. */
async function narrowKeys(sql: Sql, doer: Doer, { id, email, role }: Member): Promise<void> {
  for (const key of await narrowKeysOf(sql, doer.caller.project, id, role)) {
    await noteDeed(sql, doer, "key.role", `${key.name} (${key.id}), made by ${email}, to ${role}`);
  }
}

/** Removes a member, and revokes their keys, which would otherwise still give access and could create more keys. */
async function endMembership(sql: Sql, doer: Doer, { id, email }: Member): Promise<EndedMembership> {
  const { project } = doer.caller;
  await removeMember(sql, project, id);
  const revoked = await revokeKeysOf(sql, project, id);
  for (const key of revoked) {
    await noteDeed(sql, doer, "key.revoke", `${key.name} (${key.id}), made by ${email}`);
  }
  return { revokedKeys: revoked.length };
}

async function find(sql: Sql, doer: Doer, email: string) {
  const { project } = doer.caller;
  await holdCaller(sql, doer.caller);
  const members = await listMembers(sql, project);
  const member = members.find((each) => each.email === email);
  const invitation = member
    ? undefined
    : (await listInvitations(sql, project)).find((each) => each.email === email);
  const found = member ?? invitation;
  if (!found)
    throw new Problem(
      "not-found",
      `The project has no member or invitation with the email address ${email}.`,
    );
  requireRank(doer, found.role);
  return { members, member, invitation };
}

/** Members must not grant or take away a role above their own. */
function requireRank({ caller: { role: own, kind } }: Doer, role: Role): void {
  if (mayActAs(own, role)) return;
  const who = kind === "key" ? "the key has" : "you have";
  throw new Problem("forbidden", `This needs the role ${role}; ${who} the role ${own}.`);
}

/** A project with an Owner must keep one. */
function requireOtherOwner(members: readonly Member[], { id, email, role }: Member): void {
  if (role !== "Owner" || members.some((each) => each.role === "Owner" && each.id !== id)) return;
  throw new Problem(
    "unprocessable",
    `${email} is the only Owner of the project, and a project must keep one. Give another member the role Owner first.`,
  );
}

function asMember({ email, name, role, since }: Member): ListedMember {
  return { email, name, role, status: "member", since };
}

function asInvited({ email, role, createdAt }: Invitation): ListedMember {
  return { email, role, status: "invited", since: createdAt };
}
