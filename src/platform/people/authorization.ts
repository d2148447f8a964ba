import { createHash, timingSafeEqual } from "node:crypto";
import { byHand, commandLine } from "../../api/account-operations.js";
import type { CodeExchange } from "../../api/accounts-api.js";
import type { Database, Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { noteAct } from "./audit.js";
import { type Membership, projectsOf } from "./members.js";
import { addCode, type CodeGrant, noteCodeSession, useCode } from "./sign-in/authorization-codes.js";
import {
  type BegunSession,
  beginSession,
  endSession,
  keepSession,
  type UserSession,
} from "./sign-in/sessions.js";
import { findUser, type User } from "./users.js";

/** An authorization request of a client: RFC 6749 4.1, with the challenge of RFC 7636. */
export interface AuthorizationRequest extends Omit<CodeGrant, "user"> {
  readonly state: string;
}

/** The exchange of a code, with the client's network address. */
export interface AskedExchange extends CodeExchange {
  /** Network address of the request. */
  readonly address: string;
}

/** A token for a command line, with its owner. */
export interface IssuedToken extends BegunSession {
  readonly user: User;
  readonly projects: readonly Membership[];
}

/**
 * Reads an authorization request from the query string of the page.
 * @throws Problem `bad-request`, also for a redirect to an address that does not belong to this machine
 */
export function readAuthorizationRequest(query: URLSearchParams): AuthorizationRequest {
  const text = (name: string): string => query.get(name) ?? "";
  const client = text("client_id");
  const redirectUri = text("redirect_uri");
  const challenge = text("code_challenge");
  const state = text("state");
  const wrong = (field: string, message: string) =>
    new Problem("bad-request", `The login cannot continue: ${field} ${message}. Start it again.`, {
      errors: [{ field, message }],
    });
  if (client !== commandLine) throw wrong("client_id", "is unknown");
  if (!isOfThisMachine(redirectUri)) {
    throw wrong("redirect_uri", "must be http://127.0.0.1:<port>/… or http://[::1]:<port>/…");
  }
  if (text("code_challenge_method") !== "S256") throw wrong("code_challenge_method", "must be S256");
  if (!/^[\w-]{43}$/.test(challenge)) throw wrong("code_challenge", "is not a SHA-256 hash in base64url");
  if (state.length > 500 || /[^\x20-\x7e]/.test(state))
    throw wrong("state", "must be at most 500 printable ASCII characters");
  return { client, redirectUri, challenge, state };
}

/**
 * Creates a code for a client that a person has approved in a browser.
 * @throws Problem `unauthorized` if they were signed out there meanwhile; DatabaseError
 */
export async function approveClient(
  database: Database,
  { id, user }: UserSession,
  request: AuthorizationRequest,
): Promise<string> {
  return database.transaction(async (sql) => {
    if (!(await keepSession(sql, id))) throw signInFirst();
    return grantCode(sql, user, request);
  });
}

/** The refusal of a browser without a signed-in user. */
export function signInFirst(): Problem {
  return new Problem("unauthorized", "Sign in first, then start the login again.");
}

/** Creates a code for a client that a person has approved. @throws DatabaseError */
export function grantCode(
  sql: Sql,
  { id: user }: Pick<User, "id">,
  { client, redirectUri, challenge }: AuthorizationRequest,
): Promise<string> {
  return addCode(sql, { user, client, redirectUri, challenge });
}

/**
 * Exchanges a code for a token. A second use of a code ends the token of its first use, because one of the two
 * clients must have stolen it.
 * @throws Problem `bad-request`, which does not reveal the reason; DatabaseError
 */
export async function exchangeCode(database: Database, exchange: AskedExchange): Promise<IssuedToken> {
  const issued = await database.transaction(async (sql) => {
    const use = await useCode(sql, exchange.code);
    if (!use) return undefined;
    if (!("grant" in use)) {
      await endStolen(sql, use.session, exchange.address);
      return undefined;
    }
    const user = fits(use.grant, exchange) ? await findUser(sql, use.grant.user) : undefined;
    if (!user) return undefined;
    const session = await beginSession(sql, user.id, "token", exchange.address);
    await noteCodeSession(sql, exchange.code, session.id);
    const actor = { id: user.id, name: user.email };
    const { address } = exchange;
    await noteAct(sql, { actor, action: "session.begin", subject: "command line", address });
    return { ...session, user, projects: await projectsOf(sql, user.id) };
  });
  if (issued) return issued;
  throw new Problem(
    "bad-request",
    "The code is unknown or has expired, was already used, or belongs to another client. Log in again.",
    { errors: [{ field: "code", message: "is not valid" }] },
  );
}

/** Ends the session of a code that is used again, and lets its person know. @throws DatabaseError */
async function endStolen(sql: Sql, session: string | undefined, address: string): Promise<void> {
  const person = session === undefined ? undefined : await endSession(sql, session);
  const user = person === undefined ? undefined : await findUser(sql, person);
  if (!user) return;
  const subject = "command line, because its code was used again";
  await noteAct(sql, { actor: { id: user.id, name: user.email }, action: "session.end", subject, address });
}

function fits(grant: CodeGrant, { client, redirectUri, verifier }: CodeExchange): boolean {
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const [known, given] = [Buffer.from(grant.challenge), Buffer.from(challenge)];
  const isVerified = known.length === given.length && timingSafeEqual(known, given);
  return isVerified && grant.client === client && grant.redirectUri === redirectUri;
}

/** RFC 8252 7.3: a loopback address with any port. A name could lead to another machine. */
function isOfThisMachine(redirectUri: string): boolean {
  if (redirectUri === byHand) return true;
  return (
    URL.canParse(redirectUri) &&
    /^http:\/\/(127\.0\.0\.1|\[::1\]):\d{1,5}(\/[\w./-]{0,100})?$/.test(redirectUri)
  );
}
