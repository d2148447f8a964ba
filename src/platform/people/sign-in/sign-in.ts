import { type Database, SQL, type Sql } from "../../../store/database/database.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { clientOf } from "../../rate-limiter.js";
import type { Accounts } from "../accounts.js";
import type { ApiKey } from "../api-keys.js";
import { type Act, noteAct } from "../audit.js";
import { readEmail } from "../mail/email.js";
import { passwordLength } from "../passwords/passwords.js";
import { findUserByEmail, keepPassword, type User } from "../users.js";
import { endCodesOf } from "./authorization-codes.js";
import { knownBrowser } from "./known-browsers.js";
import {
  type BegunSession,
  beginKeySession,
  beginSession,
  endSession,
  endSessionOf,
  endSessionsOf,
} from "./sessions.js";

/** The server remembers a network for this many days after a sign-in. */
const days = 180;

/** An attempt to sign in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Network address of the request. */
  readonly address: string;
  /** The mark that the browser got after an earlier sign-in (`known-browsers.ts`). */
  readonly mark?: string | undefined;
}

/** A browser that has just signed in. */
export interface SignedIn extends BegunSession {
  readonly user: User;
}

/** A person whose password was right. */
interface Known {
  readonly user: User;
  readonly passwordHash: string;
}

/** Checks an email address and a password. An unknown address takes as long as a wrong password. */
async function checkPassword(
  { database, secretKey }: Pick<Platform, "database" | "secretKey">,
  { limits, guesses, passwords }: Pick<Accounts, "limits" | "guesses" | "passwords">,
  { email: given, password, address, mark = "" }: Credentials,
): Promise<Known | undefined> {
  const email = readEmail(given);
  if (email === undefined || password.length > passwordLength.most) {
    limits.address.count(address);
    return undefined;
  }
  const network = clientOf(address);
  const browser = knownBrowser(secretKey, email, mark);
  const isKnownNetwork = await hasSignedInFrom(database, email, network);
  const takeBack = guesses.begin(email, { network, isKnownNetwork, browser });
  const turn = { client: network, isKnown: isKnownNetwork || browser !== undefined };
  const found = await findUserByEmail(database, email);
  const isRight = await takeBackIfRight(passwords.verify(password, found?.passwordHash, turn), takeBack);
  const { passwordHash } = found ?? {};
  if (!isRight || !found || passwordHash === undefined) return undefined;
  return { user: { id: found.id, email, name: found.name }, passwordHash };
}

/**
 * Signs a browser in with a password.
 * @returns `undefined` if the address or the password is wrong
 * @throws Problem `rate-limited` after too many wrong passwords, `unavailable` while too many others sign in;
 *   DatabaseError
 */
export async function signInWithPassword(
  platform: Pick<Platform, "database" | "secretKey">,
  accounts: Pick<Accounts, "limits" | "guesses" | "passwords">,
  credentials: Credentials,
): Promise<SignedIn | undefined> {
  const right = await checkPassword(platform, accounts, credentials);
  if (!right) return undefined;
  return platform.database.transaction(async (sql) =>
    // It may have been changed while it was checked, which has ended all sessions.
    (await keepPassword(sql, right.user.id, right.passwordHash))
      ? signIn(sql, right.user, credentials.address, "browser")
      : undefined,
  );
}

/** Whether a guess was right. A right guess, and one that could not be verified, is not counted as wrong. */
export async function takeBackIfRight(verified: Promise<boolean>, takeBack: () => void): Promise<boolean> {
  try {
    const isRight = await verified;
    if (isRight) takeBack();
    return isRight;
  } catch (error) {
    takeBack();
    throw error;
  }
}

/** Signs a browser in. @throws DatabaseError */
export async function signIn(sql: Sql, user: User, address: string, how: string): Promise<SignedIn> {
  const actor = { id: user.id, name: user.email };
  await noteAct(sql, { actor, action: "session.begin", subject: how, address });
  await noteNetwork(sql, user.id, clientOf(address));
  return { ...(await beginSession(sql, user.id, "browser", address)), user };
}

/** Signs a browser in with a key, which the project of the key can see. @throws DatabaseError */
export async function signInWithKey(
  sql: Sql,
  { id, name, project }: Pick<ApiKey, "id" | "name" | "project">,
  address: string,
): Promise<BegunSession> {
  await noteAct(sql, {
    project,
    actor: { id, name },
    action: "session.begin",
    subject: "browser, with a key",
    address,
  });
  return beginKeySession(sql, id, address);
}

/** Signs a browser out. @throws DatabaseError */
export async function signOut(
  database: Database,
  session: string,
  { caller, address }: Leaver,
): Promise<void> {
  await database.transaction(async (sql) => {
    await endSession(sql, session);
    const { id, name, project } = caller;
    await noteAct(sql, { project, actor: { id, name }, action: "session.end", subject: "browser", address });
  });
}

export interface Leaver {
  readonly caller: Act["actor"] & { readonly project?: string | undefined };
  /** Network address. */
  readonly address: string;
}

/**
 * Ends one of a person's sessions.
 * @throws Problem `not-found` if it does not exist; DatabaseError
 */
export async function endOneSession(
  database: Database,
  user: User,
  session: string,
  address: string,
): Promise<void> {
  await database.transaction(async (sql) => {
    if (!(await endSessionOf(sql, user.id, session))) {
      throw new Problem("not-found", "You are no longer signed in there.");
    }
    const actor = { id: user.id, name: user.email };
    await noteAct(sql, { actor, action: "session.end", subject: `another session (${session})`, address });
  });
}

/** Signs a person out everywhere, including here and on command lines. @throws DatabaseError */
export async function endAllSessions(database: Database, user: User, address: string): Promise<void> {
  await database.transaction(async (sql) => {
    await endAccess(sql, user.id);
    const actor = { id: user.id, name: user.email };
    await noteAct(sql, { actor, action: "session.end", subject: "everywhere", address });
  });
}

/** Ends all sessions of a person, and the codes that would begin others. @throws DatabaseError */
export async function endAccess(sql: Sql, user: string): Promise<void> {
  // First waits for sessions that are just creating codes, then for codes that are just starting sessions.
  await endSessionsOf(sql, user);
  await endCodesOf(sql, user);
  await endSessionsOf(sql, user);
}

/** Checks the length of a password. @throws Problem `bad-request` that states the limits */
export function requirePassword(password: string): void {
  const { least, most } = passwordLength;
  // Count characters as people do.
  const { length } = [...password];
  if (length >= least && password.length <= most) return;
  throw new Problem("bad-request", `A password must have ${least} to ${most} characters.`);
}

/** Records that a person signed in from a network. @throws DatabaseError */
async function noteNetwork(sql: Sql, user: string, network: string): Promise<void> {
  await sql.query(
    SQL`delete from graphloom.known_networks
      where person = $1::text and seen_at < now() - make_interval(days => $2::int)`,
    [user, String(days)],
  );
  await sql.query(
    SQL`insert into graphloom.known_networks (person, network) values ($1::text, $2::text)
      on conflict (person, network) do update set seen_at = now()`,
    [user, network],
  );
}

/** Whether a person has signed in from a network; false for an unknown email address. @throws DatabaseError */
async function hasSignedInFrom(sql: Sql, email: string, network: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`select 1 as one from graphloom.known_networks k join graphloom.users u on u.id = k.person
      where u.email = $1::text and k.network = $2::text and k.seen_at > now() - make_interval(days => $3::int)`,
    [email, network, String(days)],
  );
  return rows.length > 0;
}
