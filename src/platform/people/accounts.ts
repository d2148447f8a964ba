import type { World } from "../../base/world.js";
import { RateLimiter } from "../rate-limiter.js";
import { Guesses } from "./guesses.js";
import type { Mail } from "./mail.js";
import type { Oidc } from "./oidc.js";
import { createPasswords, type Passwords } from "./passwords.js";

/** How people come to have accounts, and what they are reached by. */
export interface AccountsOptions {
  /** Whether whoever the provider knows may have an account; by default only those who are invited. */
  readonly signUp?: "open" | "invited" | undefined;
  /** What sends mail; without it, links are shown to those who make them. */
  readonly mail?: Mail | undefined;
  /** Who else knows people; without it, they sign in with a password. */
  readonly oidc?: Oidc | undefined;
  readonly passwords?: Passwords | undefined;
}

/** What the routes and the pages of people share. */
export interface Accounts {
  readonly signUp: "open" | "invited";
  readonly mail?: Mail;
  readonly oidc?: Oidc;
  readonly passwords: Passwords;
  /** How often somebody tries to come in. */
  readonly limits: {
    /** From one address of the network. */
    readonly address: RateLimiter;
  };
  readonly guesses: Guesses;
}

/** So many attempts in so much time. */
const attempts = {
  address: { requests: 30, seconds: 300 },
} as const;

/** What the routes and the pages of people share. */
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
