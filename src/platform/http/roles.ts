import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import type { Extension } from "../../api/extension.js";
import { InternalError } from "../../base/invariant.js";
import type { Database } from "../../store/database/database.js";
import { type Caller, callerFor, type Identity, identify, requireRole } from "../people/access.js";
import { noteUse, type Role } from "../people/api-keys.js";
import { noteSessionUse } from "../people/sessions.js";
import type { Platform } from "../platform.js";

/**
 * Who may use a route: who has a role in the project at the least; whoever has a key or a token, also who is in no
 * project; or `anyone`, who is asked for neither.
 */
export type Admission = Role | "signed-in" | "anyone";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may use it. Every route says it. */
    role?: Admission;
    /** The role is one in the project that the path names as `:id`. */
    isOfPath?: boolean;
    /** The same for people, of whom the path names the project as `:project`. */
    isOfNamed?: boolean;
    /** Who asks with the session of a browser, where requests from this server's own pages need no key. */
    ofBrowser?: IdentifyBrowser;
    /** A page for people; what it loads. */
    isPage?: boolean;
    isAsset?: boolean;
  }
  interface FastifyInstance {
    /** All routes and who may use them, once the server is ready. */
    readonly guardedRoutes: readonly GuardedRoute[];
  }
}

/** Who is signed in with a browser; nothing when nobody is. @throws DatabaseError */
export type IdentifyBrowser = (request: FastifyRequest) => Promise<Identity | undefined>;

/** A route and who may use it. */
export interface GuardedRoute {
  readonly method: string;
  /** `/api/v1/subgraphs/:name` */
  readonly url: string;
  readonly role: Admission;
  /** What the management API does not have: what it is for. */
  readonly extension?: Extension;
}

/** Milliseconds between two notes that a key or a token was used. */
const usesApart = 60_000;

const callers = new WeakMap<FastifyRequest, Caller>();
const identities = new WeakMap<FastifyRequest, Identity>();

/**
 * Asks every request for what its route's `config.role` says, before its body is read. A server with a route that says
 * nothing does not start. Preflights of browsers carry no key, so that routes for OPTIONS are for anyone.
 * @returns the routes, complete once the server is ready
 */
export function guardRoutes(app: FastifyInstance, { database, world }: Platform): readonly GuardedRoute[] {
  const routes: { method: string; url: string; options: { config?: FastifyContextConfig } }[] = [];
  const guarded: GuardedRoute[] = [];
  app.addHook("onRoute", (options) => {
    for (const method of [options.method].flat()) {
      if (method !== "OPTIONS") routes.push({ method, url: options.url, options });
    }
  });
  app.addHook("onReady", async () => {
    for (const { method, url, options } of routes) {
      const { role, extension } = options.config ?? {};
      if (role === undefined)
        throw new InternalError(`the route ${method} ${url} does not say who may use it`);
      guarded.push({ method, url, role, ...(extension && { extension }) });
    }
  });
  app.addHook("onRequest", async (request) => {
    const { role, isOfPath = false, isOfNamed = false, ofBrowser } = request.routeOptions.config;
    if (role === undefined || role === "anyone") return;
    const own = ofBrowser && isOwnPage(request) ? await ofBrowser(request) : undefined;
    const identity = own ?? (await identify(database, request));
    identities.set(request, identity);
    if (role !== "signed-in") {
      const { id, project: named } = request.params as { readonly id: string; readonly project: string };
      const project = isOfPath ? id : isOfNamed && identity.kind === "user" ? named : undefined;
      const caller = await callerFor(database, identity, request, project);
      callers.set(request, caller);
      requireRole(caller, role);
    }
    await noteUseOf(database, identity, world.now());
  });
  return guarded;
}

/** Who asks, as far as it is known: not on a route for anyone. */
export function peekCaller(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

/** Who asks, and about which project, on a route that needs a role. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller) throw new InternalError(`${request.method} ${request.url} needs no role, and nobody is known`);
  return caller;
}

/** Who asks, on a route that is not for anyone. */
export function identityOf(request: FastifyRequest): Identity {
  const identity = identities.get(request);
  if (!identity)
    throw new InternalError(`${request.method} ${request.url} is for anyone, and nobody is known`);
  return identity;
}

/**
 * Whether a page of this server asks, and no other that a signed-in browser was led to: with JSON, which other pages
 * cannot send before they were allowed to, and by the browser's own word. What carries a key is judged by that.
 */
function isOwnPage({ headers, host }: FastifyRequest): boolean {
  if (headers.authorization !== undefined) return false;
  if (!/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return false;
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) return site === "same-origin";
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}

async function noteUseOf(database: Database, identity: Identity, now: number): Promise<void> {
  const used = identity.kind === "key" ? identity.key : identity.session;
  if (now - (used.lastUsedAt?.getTime() ?? 0) <= usesApart) return;
  if (identity.kind === "key") await noteUse(database, used.id);
  else await noteSessionUse(database, used.id);
}
