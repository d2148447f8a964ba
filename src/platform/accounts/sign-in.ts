import { noteAct } from "../catalog/audit.js";
import { type BegunSession, beginSession, endSession, type UserSession } from "../catalog/sessions.js";
import { findUserByEmail, type User } from "../catalog/users.js";
import type { Database, Sql } from "../database/database.js";
import { Problem } from "../http/problem.js";
import type { Accounts } from "./accounts.js";
import { readEmail } from "./email.js";
import { passwordLength } from "./passwords.js";

/** Somebody who wants to sign in. */
export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Of the network that they come from. */
  readonly address: string;
}

/**
 * Who signs in with a password. It takes as long for an address that nobody has as for a wrong password.
 * @returns nothing when both do not go together
 * @throws Problem `rate-limited` after too many attempts, whether they were right or wrong; DatabaseError
 */
export async function checkPassword(
  database: Database,
  { limits, passwords }: Pick<Accounts, "limits" | "passwords">,
  { email: given, password, address }: Credentials,
): Promise<User | undefined> {
  limits.address.count(address);
  const email = readEmail(given);
  if (email === undefined || password.length > passwordLength.most) return undefined;
  limits.email.count(email);
  const found = await findUserByEmail(database, email);
  const isRight = await passwords.verify(password, found?.passwordHash);
  return isRight && found ? { id: found.id, email, name: found.name } : undefined;
}

/** Signs a browser in. @throws DatabaseError */
export async function signIn(sql: Sql, user: User, address: string, how: string): Promise<BegunSession> {
  const actor = { id: user.id, name: user.email };
  await noteAct(sql, { actor, action: "session.begin", subject: how, address });
  return beginSession(sql, user.id, "browser");
}

/** Signs a browser out. @throws DatabaseError */
export async function signOut(database: Database, { id, user }: UserSession, address: string): Promise<void> {
  await database.transaction(async (sql) => {
    await endSession(sql, id);
    const actor = { id: user.id, name: user.email };
    await noteAct(sql, { actor, action: "session.end", subject: "browser", address });
  });
}

/** Sees whether a text can be a password. @throws Problem `bad-request` that says what it lacks */
export function requirePassword(password: string): void {
  const { least, most } = passwordLength;
  // As people count characters.
  const { length } = [...password];
  if (length >= least && password.length <= most) return;
  throw new Problem("bad-request", `A password has at least ${least} characters, and at most ${most}.`);
}
