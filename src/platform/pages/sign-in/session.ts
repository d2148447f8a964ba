import type { FastifyRequest } from "fastify";
import type { Sql } from "../../../store/database/database.js";
import { peekCaller, peekIdentity } from "../../http/roles.js";
import type { Caller } from "../../people/access.js";
import type { Membership } from "../../people/members.js";
import { findProject } from "../../people/projects.js";
import { markBrowser } from "../../people/sign-in/known-browsers.js";
import { sessionDays, type UserSession } from "../../people/sign-in/sessions.js";
import type { SignedIn } from "../../people/sign-in/sign-in.js";
import type { Platform } from "../../platform.js";

export const cookieName = "graphloom_session";

/** The cookie that marks a browser as used for an earlier sign-in. */
export const markName = "graphloom_browser";
const markSeconds = 365 * 24 * 3600;

/** The lifetime of a session in seconds. */
export const sessionSeconds = sessionDays("browser") * 24 * 3600;

/** The visitor of a page: the holder of an API key, or a person with an account. */
export interface Visitor {
  /** Absent for the holder of an API key. */
  readonly session?: UserSession;
  /** Id of the session, also for the holder of an API key. Absent on a server without sign-in. */
  readonly sessionId?: string;
  /** The caller in the selected project. Absent for a person without a project. */
  readonly caller?: Caller;
  /** The projects that the visitor can select. */
  readonly projects: readonly Membership[];
}

/** The visitor whom the guard has identified; `undefined` without a sign-in. @throws DatabaseError */
export async function visitorOf(request: FastifyRequest, sql: Sql): Promise<Visitor | undefined> {
  const identity = peekIdentity(request);
  if (!identity) return undefined;
  const caller = peekCaller(request);
  const asking = caller && { caller };
  if (identity.kind === "user") {
    const { session, projects } = identity;
    return { session, sessionId: session.id, projects, ...asking };
  }
  const { key, session } = identity;
  const project = await findProject(sql, key.project);
  const projects = project ? [{ ...project, role: key.role }] : [];
  return { ...(session && { sessionId: session.id }), projects, ...asking };
}

/** The header that sets the session cookie. An empty value deletes it. */
export function cookieHeader(value: string, platform: Platform): string {
  const age = value === "" ? 0 : sessionSeconds;
  return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure(platform)}`;
}

/** The headers after a sign-in: the session cookie, and the mark that identifies the browser next time. */
export function welcomeHeaders({ token, user }: SignedIn, platform: Platform): string[] {
  const mark = markBrowser(platform.secretKey, user.email);
  return [
    cookieHeader(token, platform),
    `${markName}=${mark}; Path=/sign-in; HttpOnly; SameSite=Strict; Max-Age=${markSeconds}${secure(platform)}`,
  ];
}

/** The value of a cookie in a `Cookie` header. */
export function cookieOf(header: string, wanted: string): string | undefined {
  for (const pair of header.split(";")) {
    const [name, value] = pair.trim().split("=");
    if (name === wanted) return value;
  }
  return undefined;
}

/** The cookie attribute `Secure`, if the server has an https address. */
export function secure({ settings }: Platform): string {
  return settings.address().startsWith("https:") ? "; Secure" : "";
}
