import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import type { Extension } from "../../api/extension.js";
import { InternalError } from "../../base/invariant.js";
import type { Database } from "../../store/database/database.js";
import { type Caller, callerFor, type Identity, identify, ownCaller, requireRole } from "../people/access.js";
import { noteUse, type Role } from "../people/api-keys.js";
import { noteSessionUse } from "../people/sessions.js";
import type { Platform } from "../platform.js";
import { checkPageRequest, isOfOwnPage } from "./own-page.js";

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
    /**
     * A page for people, or a form of one: they come with the session of a browser alone (`ofBrowser`), and those who lack
     * one are led to where they get it. Who looks at a page for anyone is known all the same.
     */
    isPage?: boolean;
    /** What pages load. */
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
  /** A page for people. */
  readonly isPage?: boolean;
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
      const { role, isPage, extension } = options.config ?? {};
      if (role === undefined)
        throw new InternalError(`the route ${method} ${url} does not declare who may use it`);
      guarded.push({ method, url, role, ...(isPage && { isPage }), ...(extension && { extension }) });
    }
  });
  app.addHook("onRequest", async (request, reply) => {
    const { role, isPage = false, ofBrowser } = request.routeOptions.config;
    if (role === undefined || (role === "anyone" && !isPage)) return;
    if (isPage) checkPageRequest(request);
    const own = ofBrowser && (isPage || isOfOwnPage(request)) ? await ofBrowser(request) : undefined;
    const identity = isPage ? own : (own ?? (await identify(database, request)));
    if (!identity) {
      if (role !== "anyone") return reply.redirect(signInFor(request), 303);
      return;
    }
    identities.set(request, identity);
    const caller = isPage ? ownCaller(identity) : callerOn(request, role, identity);
    if (caller) callers.set(request, caller);
    if (role !== "anyone" && role !== "signed-in") {
      // Those who are in no project can make one.
      if (!caller) return reply.redirect("/projects", 303);
      requireRole(caller, role);
    }
    await noteUseOf(database, identity, world.now());
  });
  return guarded;
}

/** Who asks about which project on a route that is no page. @throws Problem where they are not in it */
function callerOn(request: FastifyRequest, role: Admission, identity: Identity): Caller | undefined {
  if (role === "signed-in") return undefined;
  const { isOfPath = false, isOfNamed = false } = request.routeOptions.config;
  const { id, project: named } = request.params as { readonly id: string; readonly project: string };
  return callerFor(
    identity,
    request,
    isOfPath ? id : isOfNamed && identity.kind === "user" ? named : undefined,
  );
}

/** Where people sign in; they come back to a page, and not to a form. */
function signInFor({ method, url }: FastifyRequest): string {
  return method === "POST" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(url)}`;
}

/** Who asks, as far as it is known: not on a route for anyone that is no page. */
export function peekIdentity(request: FastifyRequest): Identity | undefined {
  return identities.get(request);
}

/** The same with the project that they ask about. */
export function peekCaller(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

/** Who asks, and about which project, on a route that needs a role. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller)
    throw new InternalError(`${request.method} ${request.url} requires no role, so its caller is unknown`);
  return caller;
}

/** Who asks, on a route that is not for anyone. */
export function identityOf(request: FastifyRequest): Identity {
  const identity = identities.get(request);
  if (!identity)
    throw new InternalError(`${request.method} ${request.url} is open to anyone, so its caller is unknown`);
  return identity;
}

async function noteUseOf(database: Database, identity: Identity, now: number): Promise<void> {
  const { session } = identity;
  const used = identity.kind === "key" ? (session ?? identity.key) : identity.session;
  if (now - (used.lastUsedAt?.getTime() ?? 0) <= usesApart) return;
  if (session) await noteSessionUse(database, session.id);
  else await noteUse(database, used.id);
}
