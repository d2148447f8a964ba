import type { World } from "../../base/world.js";
import { type Accounts, createAccounts } from "./accounts.js";
import { createSmtp, type SmtpAddress } from "./mail/smtp.js";
import { createOidc } from "./oidc.js";

/** How people get accounts, and which server sends mail. */
export interface AccountSettings {
  /** Whether everybody may have an account, or only invited people (the default). */
  readonly signUp?: "open" | "invited";
  readonly oidc?: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  readonly smtp?: SmtpAddress;
}

/** Creates the ways to sign in and to send mail, without contacting any server yet. */
export function openAccounts({ signUp, oidc, smtp }: AccountSettings, world: World): Accounts {
  return createAccounts(world, {
    signUp,
    ...(oidc && { oidc: createOidc({ ...oidc, world }) }),
    ...(smtp && { mail: createSmtp(smtp) }),
  });
}
