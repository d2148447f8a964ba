import type { World } from "../../base/world.js";
import { type Accounts, createAccounts } from "./accounts.js";
import { createOidc } from "./oidc.js";
import { createSmtp, type SmtpAddress } from "./smtp.js";

/** How people come to have accounts, and where mail is given to. */
export interface AccountSettings {
  /** Whether everybody may have one, or those who were invited alone, as when it is left out. */
  readonly signUp?: "open" | "invited";
  readonly oidc?: { readonly issuer: string; readonly clientId: string; readonly clientSecret: string };
  readonly smtp?: SmtpAddress;
}

/** What people sign in with, and what mail is sent by; nobody is asked yet. */
export function openAccounts({ signUp, oidc, smtp }: AccountSettings, world: World): Accounts {
  return createAccounts(world, {
    signUp,
    ...(oidc && { oidc: createOidc({ ...oidc, world }) }),
    ...(smtp && { mail: createSmtp(smtp) }),
  });
}
