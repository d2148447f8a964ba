import type { FastifyRequest } from "fastify";
import type { Sql } from "../../store/database/database.js";
import { peekCaller, peekIdentity } from "../http/roles.js";
import type { Caller } from "../people/access.js";
import { markBrowser } from "../people/known-browsers.js";
import type { Membership } from "../people/members.js";
import { findProject } from "../people/projects.js";
import { sessionDays, type UserSession } from "../people/sessions.js";
import type { SignedIn } from "../people/sign-in.js";
import type { Platform } from "../platform.js";

/** The cookie that says who is signed in. */
export const cookieName = "graphloom_session";

/** The cookie that says with which browser somebody has signed in before. */
export const markName = "graphloom_browser";
const markSeconds = 365 * 24 * 3600;

/** Seconds that a session lasts. */
export const sessionSeconds = sessionDays("browser") * 24 * 3600;

/** Who looks at pages: the holder of a key, or somebody with an account. */
export interface Visitor {
  /** Nothing of who has come with a key. */
  readonly session?: UserSession;
  /** Id of the session, also of who has come with a key; nothing where nobody has to sign in. */
  readonly sessionId?: string;
  /** Who asks about the project that is shown; nothing of who is in no project. */
  readonly caller?: Caller;
  /** The projects that they can choose from. */
  readonly projects: readonly Membership[];
}

/** Who looks, as the guard knows them; nothing when nobody is signed in. @throws DatabaseError */
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

/** The header that sets the cookie; an empty value ends the session. */
export function cookieHeader(value: string, platform: Platform): string {
  const age = value === "" ? 0 : sessionSeconds;
  return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure(platform)}`;
}

/** The headers for a browser that was just signed in: its cookie, and the mark that it is known by next time. */
export function welcomeHeaders({ token, user }: SignedIn, platform: Platform): string[] {
  const mark = markBrowser(platform.secretKey, user.email);
  return [
    cookieHeader(token, platform),
    `${markName}=${mark}; Path=/sign-in; HttpOnly; SameSite=Strict; Max-Age=${markSeconds}${secure(platform)}`,
  ];
}

/** The value of a cookie that a browser has sent. */
export function cookieOf(header: string, wanted: string): string | undefined {
  for (const pair of header.split(";")) {
    const [name, value] = pair.trim().split("=");
    if (name === wanted) return value;
  }
  return undefined;
}

/** The attribute of a cookie that is sent over https only, where the server is reached by that. */
export function secure({ settings }: Platform): string {
  return settings.address().startsWith("https:") ? "; Secure" : "";
}
