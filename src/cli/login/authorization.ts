import { createHash, timingSafeEqual } from "node:crypto";
import { commandLine } from "../../api/account-operations.js";

/** A started login (RFC 6749 4.1, RFC 7636). */
export interface Authorization {
  /** The page that the person opens. */
  readonly page: string;
  readonly redirectUri: string;
  /** Returned with the code to prove that the code belongs to this login. */
  readonly state: string;
  /** The secret for exchanging the code; only this program knows it. */
  readonly verifier: string;
}

/** The page's answer. */
export type AuthorizationResult =
  | { readonly code: string }
  /** The person or the server denied access. */
  | { readonly refusal: string };

/** Length of a secret in bytes. */
const entropy = 32;

/**
 * Starts a login.
 * @param apiUrl base address of the API; the page is on the same server
 * @param random returns the given number of unpredictable random bytes
 */
export function beginAuthorization(
  apiUrl: string,
  redirectUri: string,
  random: (bytes: number) => Uint8Array,
): Authorization {
  const secret = (): string => Buffer.from(random(entropy)).toString("base64url");
  const [state, verifier] = [secret(), secret()];
  const page = new URL(apiUrl);
  page.pathname = `${page.pathname.replace(/\/+$/, "").replace(/\/api\/v1$/, "")}/authorize`;
  page.search = String(
    new URLSearchParams({
      client_id: commandLine,
      redirect_uri: redirectUri,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      state,
    }),
  );
  return { page: page.href, redirectUri, state, verifier };
}

/** The answer that a browser delivered; `undefined` if it does not belong to this login. */
export function readResult(
  query: URLSearchParams,
  { state }: Pick<Authorization, "state">,
): AuthorizationResult | undefined {
  const [given, second] = query.getAll("state");
  if (given === undefined || second !== undefined || !isSame(given, state)) return undefined;
  const refusal = query.get("error");
  if (refusal !== null) return { refusal };
  const code = query.get("code") ?? "";
  return isCode(code) ? { code } : undefined;
}

/** Whether a string is a login code rather than a key. */
export function isCode(text: string): boolean {
  return /^glc_[\w-]{1,100}$/.test(text);
}

/** Compares two strings in a time that does not reveal where they differ. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(first as Uint8Array, second as Uint8Array);
}
