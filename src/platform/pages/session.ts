import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { type ApiKey, findApiKeyById } from "../catalog/api-keys.js";
import { type Membership, projectsOf } from "../catalog/members.js";
import { findProject } from "../catalog/projects.js";
import { findSession, sessionDays, type UserSession } from "../catalog/sessions.js";
import type { Sql } from "../database/database.js";
import { type Caller, callerOfKey, callerOfUser } from "../http/access.js";
import type { Platform } from "../platform.js";

/** The cookie that says who is signed in. */
export const cookieName = "graphloom_session";

/** Seconds that a session lasts. */
export const sessionSeconds = sessionDays("browser") * 24 * 3600;

/** The value of a cookie for who has shown a key: its id, an end, and a seal that only this server makes. */
export function sessionFor(keyId: string, { secretKey, world }: Platform): string {
  const content = `${keyId}.${Math.floor(world.now() / 1000) + sessionSeconds}`;
  return `${content}.${seal(content, secretKey)}`;
}

/** Who looks at pages: the holder of a key, or somebody with an account. */
export interface Visitor {
  /** Nothing of who has come with a key. */
  readonly session?: UserSession;
  /** Who asks about the project that is shown; nothing of who is in no project. */
  readonly caller?: Caller;
  /** The projects that they can choose from. */
  readonly projects: readonly Membership[];
}

/** Who is signed in; nothing when nobody is, the session is over, or the key was revoked. @throws DatabaseError */
export async function visitorOf(request: FastifyRequest, platform: Platform): Promise<Visitor | undefined> {
  const value = cookieOf(request.headers.cookie ?? "", cookieName) ?? "";
  const { database } = platform;
  if (!value.includes(".")) return value === "" ? undefined : visitorWith(platform, value);
  const [keyId = "", end = "", sealed = ""] = value.split(".");
  const expected = seal(`${keyId}.${end}`, platform.secretKey);
  if (!isSame(sealed, expected) || !(Number(end) * 1000 > platform.world.now())) return undefined;
  const key = await findApiKeyById(database, keyId);
  return key && visitorOfKey(database, key);
}

/** The holder of a key. @throws DatabaseError */
export async function visitorOfKey(sql: Sql, key: ApiKey): Promise<Visitor> {
  const project = await findProject(sql, key.project);
  return { caller: callerOfKey(key), projects: project ? [{ ...project, role: key.role }] : [] };
}

async function visitorWith({ database }: Platform, token: string): Promise<Visitor | undefined> {
  const session = await findSession(database, token, "browser");
  if (!session) return undefined;
  const projects = await projectsOf(database, session.user.id);
  const shown = projects.find(({ id }) => id === session.project) ?? projects[0];
  return { session, projects, ...(shown && { caller: callerOfUser(session.user, shown) }) };
}

/** The header that sets the cookie; an empty value ends the session. */
export function cookieHeader(value: string, platform: Platform): string {
  const secure = platform.settings.address().startsWith("https:") ? "; Secure" : "";
  const age = value === "" ? 0 : sessionSeconds;
  return `${cookieName}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`;
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

function seal(content: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(`session ${content}`).digest("hex");
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
