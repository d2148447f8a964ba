import type { FastifyRequest } from "fastify";
import type { Identity } from "../../people/access.js";
import { findApiKeyById } from "../../people/api-keys.js";
import { findOwner } from "../../people/first-project.js";
import { projectsOf } from "../../people/members.js";
import { findBrowserSession } from "../../people/sign-in/sessions.js";
import type { Platform } from "../../platform.js";
import { cookieName, cookieOf } from "./session.js";

/**
 * Identifies the visitor by the session of a browser. The guard calls it for pages, and for the routes that pages call.
 * The result is `undefined` without a session, or when the session has expired or its API key was revoked.
 * @param isOpen whether to treat every user of this machine as an Owner of the first project
 */
export function identifyBrowser({
  isOpen = false,
}: {
  readonly isOpen?: boolean;
}): (request: FastifyRequest, platform: Platform) => Promise<Identity | undefined> {
  return async (request, { database }) => {
    if (isOpen && isHere(request)) {
      const key = await findOwner(database);
      return key && { kind: "key", key };
    }
    const token = cookieOf(request.headers.cookie ?? "", cookieName) ?? "";
    const session = token === "" ? undefined : await findBrowserSession(database, token);
    if (!session) return undefined;
    if ("user" in session)
      return { kind: "user", session, projects: await projectsOf(database, session.user.id) };
    const key = await findApiKeyById(database, session.apiKey);
    return key && { kind: "key", key, session };
  };
}

/** Whether the request names this machine itself, because an attacker may have pointed a foreign name at it. */
function isHere({ headers }: FastifyRequest): boolean {
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  return name === "localhost" || name === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(name);
}
