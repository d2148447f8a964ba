import type { Database, Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { clientOf } from "../rate-limiter.js";
import { randomId } from "../sealing/hashed.js";
import type { Accounts } from "./accounts.js";
import type { Role } from "./api-keys.js";
import { noteAct } from "./audit.js";
import { type Doer, noteDeed } from "./doer.js";
import { holdCaller } from "./hold-caller.js";
import { endInvitation, findInvitation } from "./invitations.js";
import { addMember } from "./members.js";
import { readName } from "./names.js";
import { endPasswordResets } from "./passwords/password-resets.js";
import { holdProject } from "./projects.js";
import type { UserSession } from "./sign-in/sessions.js";
import { endAccess, requirePassword, type SignedIn, signIn, takeBackIfRight } from "./sign-in/sign-in.js";
import { addUser, findUserByEmail, keepPassword, setPasswordHash, type User } from "./users.js";

/** An account to create. */
export interface NewAccount {
  /** In lower case. */
  readonly email: string;
  readonly name: string;
  readonly password: string;
  /** Network address of the request. */
  readonly address: string;
}

/** The holder of an invalid invitation learns only that it is invalid. */
export function noInvitation(): Problem {
  return new Problem(
    "not-found",
    "The invitation is unknown or has expired, or it was used or withdrawn. Ask for a new one.",
  );
}

/**
 * Adds a person with an account to the project that invited them. An existing member keeps their role.
 * @returns the project
 * @throws Problem `not-found`, DatabaseError
 */
export async function acceptInvitation(
  database: Database,
  token: string,
  user: User,
  address: string,
): Promise<string> {
  return database.transaction((sql) => accept(sql, token, user, address));
}

/**
 * Creates an account for an invited person, and signs them in.
 * @throws Problem `not-found` for the invitation, `bad-request` for an invalid name or password, `conflict` for an
 *   address that already has an account, which only the invited person learns; DatabaseError
 */
export async function joinWithAccount(
  database: Database,
  accounts: Accounts,
  token: string,
  account: Omit<NewAccount, "email">,
): Promise<SignedIn> {
  const invitation = await findInvitation(database, token);
  if (!invitation) throw noInvitation();
  const { email } = invitation;
  return openAccount(database, accounts, { ...account, email }, (sql, user) =>
    accept(sql, token, user, account.address),
  );
}

/**
 * Creates an account for the holder of an Owner key, as Owner of the key's project, and signs them in.
 * @throws Problem `forbidden` for other keys, and as above; DatabaseError
 */
export async function ownWithAccount(
  database: Database,
  accounts: Accounts,
  doer: Doer,
  account: NewAccount,
): Promise<SignedIn> {
  const { kind, role, project } = doer.caller;
  if (kind !== "key" || role !== "Owner") {
    throw new Problem("forbidden", "Only an API key with the role Owner can create an account this way.");
  }
  return openAccount(database, accounts, account, async (sql, { id, email }) => {
    await holdCaller(sql, doer.caller);
    await addMember(sql, project, id, "Owner" satisfies Role);
    await noteDeed(sql, doer, "member.join", `${email} as Owner`);
  });
}

/**
 * Changes a person's password, and signs them out everywhere else.
 * @returns the new session of this browser
 * @throws Problem `forbidden` for a wrong current password, `rate-limited` after too many of those in this session,
 *   `bad-request` for an invalid new password; DatabaseError
 */
export async function changePassword(
  database: Database,
  { guesses, passwords }: Accounts,
  { id: session, user }: UserSession,
  change: { readonly old: string; readonly new: string; readonly address: string },
): Promise<SignedIn> {
  requirePassword(change.new);
  const takeBack = guesses.beginAgain(session);
  const turn = { client: clientOf(change.address), isKnown: true };
  const kept = (await findUserByEmail(database, user.email))?.passwordHash;
  if (!(await takeBackIfRight(passwords.verify(change.old, kept, turn), takeBack))) throw wrongPassword();
  const hash = await passwords.hash(change.new, turn);
  return database.transaction(async (sql) => {
    // Another person who knows the password may have changed it meanwhile.
    if (kept === undefined || !(await keepPassword(sql, user.id, kept))) throw wrongPassword();
    return renewPassword(sql, user, hash, change.address);
  });
}

function wrongPassword(): Problem {
  return new Problem("forbidden", "Your current password is wrong.");
}

/** Sets a new password, ends all reset links, codes and sessions, and signs the person in again here. @throws DatabaseError */
export async function renewPassword(sql: Sql, user: User, hash: string, address: string): Promise<SignedIn> {
  await setPasswordHash(sql, user.id, hash);
  await endPasswordResets(sql, user.id);
  await endAccess(sql, user.id);
  const actor = { id: user.id, name: user.email };
  await noteAct(sql, { actor, action: "password.change", subject: user.email, address });
  return signIn(sql, user, address, "browser, with a new password");
}

async function openAccount(
  database: Database,
  { passwords }: Accounts,
  { email, name: given, password, address }: NewAccount,
  then: (sql: Sql, user: User) => Promise<unknown>,
): Promise<SignedIn> {
  const name = readName(given);
  if (name === undefined) throw new Problem("bad-request", "Enter your name, in at most 80 characters.");
  requirePassword(password);
  const passwordHash = await passwords.hash(password, { client: clientOf(address) });
  const user = { id: randomId("user"), email, name };
  return database.transaction(async (sql) => {
    if (!(await addUser(sql, user, { passwordHash }))) {
      throw new Problem(
        "conflict",
        "The account cannot be created. If you already have one, sign in with it.",
      );
    }
    await then(sql, user);
    return signIn(sql, user, address, "browser, with a new account");
  });
}

async function accept(sql: Sql, token: string, user: User, address: string): Promise<string> {
  const found = await findInvitation(sql, token);
  if (!found) throw noInvitation();
  const { id, project } = found;
  await holdProject(sql, project);
  // Its role may have changed while this waited.
  const invitation = await endInvitation(sql, id);
  if (!invitation) throw noInvitation();
  const { role } = invitation;
  const isNew = await addMember(sql, project, user.id, role);
  const actor = { id: user.id, name: user.email };
  const subject = isNew ? `${user.email} as ${role}` : `${user.email}, already a member`;
  await noteAct(sql, { project, actor, action: "member.join", subject, address });
  return project;
}
