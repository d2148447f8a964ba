import { createHash, timingSafeEqual } from "node:crypto";
import { commandLine } from "../../api/account-operations.js";

/** A login that was begun (RFC 6749 4.1, RFC 7636). */
export interface Authorization {
  /** The page that the person opens. */
  readonly page: string;
  readonly redirectUri: string;
  /** Comes back with the code, and shows that it is this login's. */
  readonly state: string;
  /** What the code is exchanged with; only this program knows it. */
  readonly verifier: string;
}

/** What came back from the page. */
export type AuthorizationResult =
  | { readonly code: string }
  /** The person, or the server, has said no. */
  | { readonly refusal: string };

/** Bytes of a secret. */
const entropy = 32;

/**
 * Begins a login.
 * @param apiUrl base address of the API; the page is on the same server
 * @param random returns that many unpredictable random bytes
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

/** What a browser has brought back; nothing when it is not the answer to this login. */
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

/** Whether a text is a code of a login, not a key. */
export function isCode(text: string): boolean {
  return /^glc_[\w-]{1,100}$/.test(text);
}

/** Compares in a time that tells nothing of where two texts differ. */
function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(first as Uint8Array, second as Uint8Array);
}
