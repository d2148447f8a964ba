import type { FastifyRequest } from "fastify";
import type { Sql } from "../../store/database/database.js";
import { type Caller, callerOfKey, callerOfUser } from "../people/access.js";
import { type ApiKey, findApiKeyById } from "../people/api-keys.js";
import { markBrowser } from "../people/known-browsers.js";
import { type Membership, projectsOf } from "../people/members.js";
import { findProject } from "../people/projects.js";
import { findBrowserSession, noteSessionUse, sessionDays, type UserSession } from "../people/sessions.js";
import type { SignedIn } from "../people/sign-in.js";
import type { Platform } from "../platform.js";

/** The cookie that says who is signed in. */
export const cookieName = "graphloom_session";

/** The cookie that says with which browser somebody has signed in before. */
export const markName = "graphloom_browser";
const markSeconds = 365 * 24 * 3600;

/** Milliseconds between two notes that a session was used. */
const usesApart = 60_000;

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

/** Who is signed in; nothing when nobody is, the session is over, or the key was revoked. @throws DatabaseError */
export async function visitorOf(
  request: FastifyRequest,
  { database, world }: Platform,
): Promise<Visitor | undefined> {
  const token = cookieOf(request.headers.cookie ?? "", cookieName) ?? "";
  const session = token === "" ? undefined : await findBrowserSession(database, token);
  if (!session) return undefined;
  if (world.now() - (session.lastUsedAt?.getTime() ?? 0) > usesApart)
    await noteSessionUse(database, session.id);
  if ("user" in session) return visitorWith(database, session);
  const key = await findApiKeyById(database, session.apiKey);
  return key && { ...(await visitorOfKey(database, key)), sessionId: session.id };
}

/** The holder of a key. @throws DatabaseError */
export async function visitorOfKey(sql: Sql, key: ApiKey): Promise<Visitor> {
  const project = await findProject(sql, key.project);
  return { caller: callerOfKey(key), projects: project ? [{ ...project, role: key.role }] : [] };
}

async function visitorWith(sql: Sql, session: UserSession): Promise<Visitor> {
  const projects = await projectsOf(sql, session.user.id);
  const shown = projects.find(({ id }) => id === session.project) ?? projects[0];
  return {
    session,
    sessionId: session.id,
    projects,
    ...(shown && { caller: callerOfUser(session.user, shown) }),
  };
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

/** Whether a request that changes something comes from a page of this server. */
export function isFromHere({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
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

/** Whether a browser asked for this machine by its own name: others may have had a foreign name lead here. */
export function isHere({ headers }: FastifyRequest): boolean {
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  return name === "localhost" || name === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(name);
}
