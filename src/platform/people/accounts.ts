import type { World } from "../../base/world.js";
import { RateLimiter } from "../rate-limiter.js";
import type { Mail } from "./mail/mail.js";
import type { Oidc } from "./oidc.js";
import { Guesses } from "./passwords/guesses.js";
import { createPasswords, type Passwords } from "./passwords/passwords.js";

/** How people get accounts, sign in and receive mail. */
export interface AccountsOptions {
  /** Whether everybody whom the provider knows may have an account; by default, only invited people. */
  readonly signUp?: "open" | "invited" | undefined;
  /** Sends mail; without it, links are shown to the people who create them. */
  readonly mail?: Mail | undefined;
  /** An OpenID Connect provider; without it, people sign in with a password. */
  readonly oidc?: Oidc | undefined;
  readonly passwords?: Passwords | undefined;
}

/** What the routes and pages for people share. */
export interface Accounts {
  readonly signUp: "open" | "invited";
  readonly mail?: Mail;
  readonly oidc?: Oidc;
  readonly passwords: Passwords;
  /** Limits on sign-in attempts. */
  readonly limits: {
    /** From one network address. */
    readonly address: RateLimiter;
  };
  readonly guesses: Guesses;
}

/** Maximum attempts in a period. */
const attempts = {
  address: { requests: 30, seconds: 300 },
} as const;

/** What the routes and pages for people share. */
export function createAccounts(
  { now }: Pick<World, "now">,
  { signUp = "invited", mail, oidc, passwords = createPasswords() }: AccountsOptions = {},
): Accounts {
  const address = new RateLimiter(attempts.address, now);
  return {
    signUp,
    ...(mail && { mail }),
    ...(oidc && { oidc }),
    passwords,
    limits: {
      address,
    },
    guesses: new Guesses(now, address),
  };
}
