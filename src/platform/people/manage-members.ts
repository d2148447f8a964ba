import type { Database, Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { mayActAs, narrowKeysOf, type Role, revokeKeysOf } from "./api-keys.js";
import { type Doer, noteDeed } from "./doer.js";
import { endInvitation, type Invitation, invite, listInvitations, setInvitedRole } from "./invitations.js";
import { listMembers, type Member, removeMember, setMemberRole } from "./members.js";
import { holdProject } from "./projects.js";

/** Somebody who is in a project, or is invited to it. */
export interface ListedMember {
  readonly email: string;
  /** Nothing of who is only invited. */
  readonly name?: string;
  readonly role: Role;
  readonly status: "member" | "invited";
  readonly since: Date;
}

/** An invitation with the token that its link ends with. */
export type NewInvitation = Invitation & { readonly token: string };

/** Everybody in a project, and then those who are invited to it. @throws DatabaseError */
export async function listEverybody(sql: Sql, project: string): Promise<readonly ListedMember[]> {
  const members = await listMembers(sql, project);
  return [...members.map(asMember), ...(await listInvitations(sql, project)).map(asInvited)];
}

/**
 * Invites people; an earlier invitation of the same address ends.
 * @param emails in small letters
 * @throws Problem `forbidden` for a role above one's own, `conflict` for who is a member already; DatabaseError
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
    await holdProject(sql, project);
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
 * Gives a member, or somebody who is invited, another role. Keys that they have made have no more than that from then on.
 * @throws Problem `forbidden` when one of both roles is above one's own, `not-found`, `unprocessable` for the only Owner
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

/** What ended with a membership. */
export interface EndedMembership {
  /** How many keys of the project they had made, which were revoked. */
  readonly revokedKeys: number;
}

/**
 * Ends a membership and all keys of the project that were made by who had it, or takes an invitation back.
 * @throws Problem `forbidden` for a role above one's own, `not-found`, `unprocessable` for the only Owner; DatabaseError
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
 * Ends one's own membership, and all keys of the project that one has made.
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

/** Keys that somebody made while they were more would let them be that still. */
async function narrowKeys(sql: Sql, doer: Doer, { id, email, role }: Member): Promise<void> {
  for (const key of await narrowKeysOf(sql, doer.caller.project, id, role)) {
    await noteDeed(sql, doer, "key.role", `${key.name} (${key.id}), made by ${email}, to ${role}`);
  }
}

/** Whoever is out of a project has no way into it: their keys would be one, and could make others. */
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
  await holdProject(sql, project);
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

/** Nobody gives or takes a role that is above their own. */
function requireRank({ caller: { role: own, kind } }: Doer, role: Role): void {
  if (mayActAs(own, role)) return;
  const who = kind === "key" ? "the key has" : "you have";
  throw new Problem("forbidden", `This needs the role ${role}; ${who} the role ${own}.`);
}

/** A project that has an Owner keeps one. */
function requireOtherOwner(members: readonly Member[], { id, email, role }: Member): void {
  if (role !== "Owner" || members.some((each) => each.role === "Owner" && each.id !== id)) return;
  throw new Problem(
    "unprocessable",
    `${email} is the only Owner of the project, and a project must keep one. Give somebody else the role Owner first.`,
  );
}

function asMember({ email, name, role, since }: Member): ListedMember {
  return { email, name, role, status: "member", since };
}

function asInvited({ email, role, createdAt }: Invitation): ListedMember {
  return { email, role, status: "invited", since: createdAt };
}
