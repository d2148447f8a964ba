import type { World } from "../../base/world.js";
import { type Accounts, createAccounts } from "../../platform/people/accounts.js";
import { createOidc } from "../../platform/people/oidc.js";
import { createSmtp } from "../../platform/people/smtp.js";
import type { AccountPlan } from "./account-arguments.js";

/** What people sign in with, and what mail is sent by; nobody is asked yet. */
export function openAccounts({ signUp, oidc, smtp }: AccountPlan, world: World): Accounts {
  return createAccounts(world, {
    signUp,
    ...(oidc && { oidc: createOidc({ ...oidc, world }) }),
    ...(smtp && { mail: createSmtp(smtp) }),
  });
}
