import type { FastifyRequest } from "fastify";
import type { Identity } from "../people/access.js";
import { findApiKeyById } from "../people/api-keys.js";
import { findOwner } from "../people/first-project.js";
import { findBrowserSession } from "../people/sessions.js";
import type { Platform } from "../platform.js";
import type { PageOptions } from "./page-scope.js";
import { cookieName, cookieOf, isHere } from "./session.js";

/**
 * Who is signed in with a browser, for other routes than pages. They see to it themselves that a page of this server
 * asks, where they change something or tell what others may not read.
 */
export function identifyBrowser({
  isOpen = false,
}: PageOptions): (request: FastifyRequest, platform: Platform) => Promise<Identity | undefined> {
  return async (request, { database }) => {
    if (isOpen && isHere(request)) {
      const key = await findOwner(database);
      return key && { kind: "key", key };
    }
    const token = cookieOf(request.headers.cookie ?? "", cookieName) ?? "";
    const session = token === "" ? undefined : await findBrowserSession(database, token);
    if (!session) return undefined;
    if ("user" in session) return { kind: "user", session };
    const key = await findApiKeyById(database, session.apiKey);
    return key && { kind: "key", key };
  };
}
