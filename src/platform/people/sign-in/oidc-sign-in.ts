import type { Database, Sql } from "../../../store/database/database.js";
import { Problem } from "../../problem.js";
import { randomId } from "../../sealing/hashed.js";
import { SealBroken, seal, unseal } from "../../sealing/sealed.js";
import type { Accounts } from "../accounts.js";
import { noteAct } from "../audit.js";
import { endInvitation, type Invitation, invitationsOf } from "../invitations.js";
import { readEmail } from "../mail/email.js";
import { addMember } from "../members.js";
import { readName } from "../names.js";
import type { OidcChecks, OidcPerson } from "../oidc.js";
import { endPasswordResets } from "../passwords/password-resets.js";
import { holdProject } from "../projects.js";
import { addUser, dropPassword, findUserByEmail, findUserByOidc, linkToOidc, type User } from "../users.js";
import { endAccess, type SignedIn, signIn } from "./sign-in.js";

/** The state that a browser keeps while a person signs in at a provider. */
export interface KeptSignIn extends OidcChecks {
  /** The page to show afterwards. */
  readonly next: string;
  /** Milliseconds. */
  readonly ends: number;
}

const place = "a sign-in at a provider";

/** Encrypts the state for the browser, which can neither read nor change it. */
export function sealSignIn(secretKey: Uint8Array, kept: KeptSignIn): string {
  return Buffer.from(seal(secretKey, JSON.stringify(kept), place)).toString("base64url");
}

/**
 * Decrypts the state of a browser; `undefined` if it has expired or is not from this server. @param now
 * milliseconds
 */
export function unsealSignIn(secretKey: Uint8Array, text: string, now: number): KeptSignIn | undefined {
  try {
    const kept = JSON.parse(unseal(secretKey, Buffer.from(text, "base64url"), place)) as KeptSignIn;
    return kept.ends > now ? kept : undefined;
  } catch (error) {
    if (error instanceof SealBroken) return undefined;
    throw error;
  }
}

/**
 * Signs in a person whom a provider has identified. The person must have signed in with it before, or must have an
 * account or an invitation with the verified email address. People who are invited join their projects. If sign-up is
 * open, everyone gets an account.
 * @throws Problem `forbidden` for all others; DatabaseError
 */
export async function signInFromOidc(
  database: Database,
  { signUp }: Pick<Accounts, "signUp">,
  person: OidcPerson,
  address: string,
): Promise<SignedIn> {
  return database.transaction(async (sql) => {
    const known = (await findUserByOidc(sql, person)) ?? (await takenIn(sql, person, signUp, address));
    return signIn(sql, known, address, "browser, with OpenID Connect");
  });
}

async function takenIn(
  sql: Sql,
  person: OidcPerson,
  signUp: Accounts["signUp"],
  address: string,
): Promise<User> {
  const { issuer, subject } = person;
  const email = readEmail(person.email ?? "");
  if (email === undefined) {
    throw new Problem(
      "forbidden",
      "The provider has not verified your email address. Verify it there, then sign in again.",
    );
  }
  const found = await findUserByEmail(sql, email);
  if (found) {
    if (!(await linkToOidc(sql, found.id, { issuer, subject }))) {
      throw new Problem(
        "forbidden",
        `The account ${email} is already linked to a different identity at the provider.`,
      );
    }
    // Someone who only had a link may have created the account; the provider has verified the address.
    await dropPassword(sql, found.id);
    await endPasswordResets(sql, found.id);
    await endAccess(sql, found.id);
    return { id: found.id, email, name: found.name };
  }
  const invitations = await invitationsOf(sql, email);
  if (invitations.length === 0 && signUp === "invited") throw notInvited(email);
  const user = {
    id: randomId("user"),
    email,
    name: readName(person.name ?? "") ?? email.split("@")[0] ?? email,
  };
  // The same person may have signed in twice at once.
  if (!(await addUser(sql, user, { oidc: { issuer, subject } })))
    return (await findUserByOidc(sql, person)) ?? takenIn(sql, person, signUp, address);
  if ((await join(sql, user, invitations, address)) === 0 && signUp === "invited") throw notInvited(email);
  return user;
}

/** @returns how many of the invitations were still open */
async function join(
  sql: Sql,
  { id: member, email }: User,
  invitations: readonly Invitation[],
  address: string,
): Promise<number> {
  let joined = 0;
  // In the same order for all, to avoid a deadlock.
  for (const { id, project } of invitations.toSorted((one, other) =>
    one.project < other.project ? -1 : 1,
  )) {
    await holdProject(sql, project);
    // It may have been changed or withdrawn while this waited.
    const invitation = await endInvitation(sql, id);
    if (!invitation) continue;
    const { role } = invitation;
    await addMember(sql, project, member, role);
    const actor = { id: member, name: email };
    const subject = `${email} as ${role}`;
    await noteAct(sql, { project, actor, action: "member.join", subject, address });
    joined += 1;
  }
  return joined;
}

function notInvited(email: string): Problem {
  return new Problem(
    "forbidden",
    `${email} has not been invited. Ask an Owner or an Admin of a project for an invitation.`,
  );
}
