import type { FastifyBaseLogger } from "fastify";
import type { Database } from "../../store/database/database.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { clientOf } from "../rate-limiter.js";
import type { Accounts } from "./accounts.js";
import { readEmail } from "./mail/email.js";
import { mayMail } from "./mail/mail-limits.js";
import { renewPassword } from "./open-account.js";
import { addPasswordReset, resetMinutes, usePasswordReset } from "./passwords/password-resets.js";
import { requirePassword, type SignedIn } from "./sign-in/sign-in.js";
import { findUserByEmail } from "./users.js";

/** A request to reset a forgotten password. */
export interface Forgotten {
  readonly email: string;
  /** Network address of the request. */
  readonly address: string;
  readonly log: Pick<FastifyBaseLogger, "warn">;
}

/**
 * Emails a password reset link to a person with an account, or tells them that they sign in with a provider. It does
 * not wait for the work, so that the time reveals nothing about whether an account exists. An address gets only a few
 * links while they are still valid.
 * @throws Problem `rate-limited` after too many requests from one network
 */
export function sendPasswordLink(
  { database, settings }: Platform,
  { limits, mail, oidc }: Accounts,
  { email: given, address, log }: Forgotten,
): void {
  limits.address.count(address);
  const email = readEmail(given);
  if (email === undefined || !mail) return;
  const send = async (): Promise<void> => {
    const user = await findUserByEmail(database, email);
    if (!user || !(await mayMail(database, { kind: "password", recipient: email }))) return;
    // A password would be a second way to sign in, without the provider's knowledge.
    if (user.passwordHash === undefined && oidc) {
      const text = `We received a request to reset the password of your graphloom account. The account has no password: you sign in with ${oidc.name}.`;
      return mail.send({ to: email, subject: "Signing in to graphloom", text });
    }
    const link = `${settings.address()}/password/${await addPasswordReset(database, user.id)}`;
    const text = [
      "We received a request to reset the password of your graphloom account. To choose a new one, open:",
      link,
      `The link is valid for ${resetMinutes} minutes. If you did not ask for it, ignore this email.`,
    ].join("\n\n");
    await mail.send({ to: email, subject: "Reset your graphloom password", text });
  };
  send().catch((error) => log.warn({ err: error }, "a password reset link could not be sent"));
}

/**
 * Sets the password of a person with a reset link, and signs them in.
 * @throws Problem `bad-request` for an invalid password, `not-found` for an invalid link; DatabaseError
 */
export async function resetPassword(
  database: Database,
  { limits, passwords }: Accounts,
  token: string,
  { password, address }: { readonly password: string; readonly address: string },
): Promise<SignedIn> {
  limits.address.count(address);
  requirePassword(password);
  const hash = await passwords.hash(password, { client: clientOf(address) });
  return database.transaction(async (sql) => {
    const user = await usePasswordReset(sql, token);
    if (user) return renewPassword(sql, user, hash, address);
    throw new Problem(
      "not-found",
      "The link is unknown or has expired, or it was already used. Ask for a new one.",
    );
  });
}
