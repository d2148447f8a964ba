import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { findApiKeyById } from "../catalog/api-keys.js";
import { type Caller, callerOfKey } from "../http/access.js";
import type { Platform } from "../platform.js";

/** The cookie that says who is signed in. */
export const cookieName = "graphloom_session";

/** Seconds that a session lasts. */
export const sessionSeconds = 7 * 24 * 3600;

/** The value of a cookie for who has shown a key: its id, an end, and a seal that only this server makes. */
export function sessionFor(keyId: string, { secretKey, world }: Platform): string {
  const content = `${keyId}.${Math.floor(world.now() / 1000) + sessionSeconds}`;
  return `${content}.${seal(content, secretKey)}`;
}

/** Who is signed in; nothing when nobody is, the session is over, or the key was revoked. @throws DatabaseError */
export async function signedIn(request: FastifyRequest, platform: Platform): Promise<Caller | undefined> {
  const value = cookieOf(request.headers.cookie ?? "");
  const [keyId = "", end = "", sealed = ""] = value?.split(".") ?? [];
  const expected = seal(`${keyId}.${end}`, platform.secretKey);
  if (!isSame(sealed, expected) || !(Number(end) * 1000 > platform.world.now())) return undefined;
  const key = await findApiKeyById(platform.database, keyId);
  return key && callerOfKey(key);
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

function cookieOf(header: string): string | undefined {
  for (const pair of header.split(";")) {
    const [name, value] = pair.trim().split("=");
    if (name === cookieName) return value;
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
