import { readSmtpAddress, type SmtpAddress } from "../../platform/people/mail/smtp.js";
import type { AccountSettings } from "../../platform/people/open-accounts.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments of `serve` that govern accounts. */
export interface AccountArguments {
  readonly signUp?: "open" | "invited" | undefined;
  readonly oidcIssuer?: string | undefined;
  readonly oidcClientId?: string | undefined;
  readonly smtp?: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws UsageError for arguments that contradict each other; no message shows a password */
export function planAccounts(args: AccountArguments, environment: Environment): AccountSettings {
  const oidc = oidcOf(args, environment.GRAPHLOOM_OIDC_CLIENT_SECRET);
  const signUp = args.signUp ?? "invited";
  if (signUp === "open" && !oidc) {
    throw new UsageError(
      "--sign-up open requires --oidc-issuer: a provider must confirm who owns an email address.",
    );
  }
  const smtp = smtpOf(args.smtp ?? (environment.GRAPHLOOM_SMTP || undefined));
  return { signUp, ...(oidc && { oidc }), ...(smtp && { smtp }) };
}

function oidcOf(
  { oidcIssuer: issuer, oidcClientId: clientId }: AccountArguments,
  clientSecret: string | undefined,
): AccountSettings["oidc"] {
  if (issuer === undefined && clientId === undefined) return undefined;
  if (issuer === undefined || clientId === undefined || clientId === "") {
    throw new UsageError("Pass both --oidc-issuer and --oidc-client-id, or neither.");
  }
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isHere = url?.protocol === "http:" && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  if (!url || (url.protocol !== "https:" && !isHere) || url.search !== "" || url.username !== "") {
    throw new UsageError(
      "--oidc-issuer must be the address that the provider publishes, starting with https://.",
    );
  }
  if (!clientSecret) {
    throw new UsageError(
      "Set GRAPHLOOM_OIDC_CLIENT_SECRET to the secret that the provider issued to this client.",
    );
  }
  return { issuer, clientId, clientSecret };
}

function smtpOf(text: string | undefined): SmtpAddress | undefined {
  if (text === undefined) return undefined;
  const address = readSmtpAddress(text);
  if (address) return address;
  throw new UsageError(
    "--smtp must name the mail server and the sender: smtp://mail.example.com:587?from=graphloom@example.com",
  );
}
