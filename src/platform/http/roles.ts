import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from "fastify";
import type { Extension } from "../../api/extension.js";
import { InternalError } from "../../base/invariant.js";
import type { Database } from "../../store/database/database.js";
import { type Caller, callerFor, type Identity, identify, ownCaller, requireRole } from "../people/access.js";
import { noteUse, type Role } from "../people/api-keys.js";
import { noteSessionUse } from "../people/sign-in/sessions.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { wantsJson, wantsMarkdown, wantsPage } from "./accepts.js";
import { pageBefore } from "./page-before.js";
import { queryFieldsOf } from "./query-of-url.js";

/**
 * Who may use a route: callers with at least a role in the project; `signed-in` for everybody with a key or token,
 * even without a project; or `anyone`, without either.
 */
export type Admission = Role | "signed-in" | "anyone";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Who may use it. Every route must declare this. */
    role?: Admission;
    /** The role counts in the project that the path names as `:id`. */
    isOfPath?: boolean;
    /** The role of people counts in the project that the path names as `:project`. */
    isOfNamed?: boolean;
    /** Identifies the caller by a browser session, on routes where requests from this server's own pages need no key. */
    ofBrowser?: IdentifyBrowser;
    /**
     * A page for people, or a form on one. Only a browser session identifies its caller (`ofBrowser`), and callers
     * without one are redirected to the sign-in page. The caller is identified even on pages that are open to anyone.
     */
    isPage?: boolean;
    /**
     * For a page: the pattern of the path with its content for programs that ask for JSON. `:own` stands for the
     * caller's project. A `?` at the end passes the query on, without empty values.
     */
    forPrograms?: string;
    /** For a page: the pattern of the path with its content for programs that ask for Markdown. */
    asMarkdown?: string;
    /** A file that pages link to. Browsers without a session are redirected to the sign-in page. */
    isLinked?: boolean;
    /** A file that pages load. */
    isAsset?: boolean;
  }
  interface FastifyInstance {
    /** All routes and who may use them, once the server is ready. */
    readonly guardedRoutes: readonly GuardedRoute[];
  }
}

/** Returns the user signed in with a browser, if any. @throws DatabaseError */
export type IdentifyBrowser = (request: FastifyRequest) => Promise<Identity | undefined>;

/** A route and who may use it. */
export interface GuardedRoute {
  readonly method: string;
  /** `/api/v1/subgraphs/:name` */
  readonly url: string;
  readonly role: Admission;
  /** Whether it is a page for people. */
  readonly isPage?: boolean;
  /** Describes a route that the contract of the management API does not contain. */
  readonly extension?: Extension;
}

/** Minimum milliseconds between two records of the use of a key or token. */
const usesApart = 60_000;

const callers = new WeakMap<FastifyRequest, Caller>();
const identities = new WeakMap<FastifyRequest, Identity>();

/**
 * Checks every request against the `config.role` of its route, before the body is read. A server does not start if a
 * route declares no role. Routes for OPTIONS are open to anyone, because browser preflights carry no key.
 * @returns the routes, complete once the server is ready
 */
export function guardRoutes(app: FastifyInstance, platform: Platform): readonly GuardedRoute[] {
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
    const elsewhere = await admit(request, platform);
    return elsewhere === undefined ? undefined : reply.redirect(elsewhere, 303);
  });
  return guarded;
}

/**
 * Checks a request against the `config.role` of its route, and identifies its caller. Answers that stay open check again
 * as long as they send something, because sessions end and roles change.
 * @returns the address to redirect to, if the caller must go elsewhere first
 * @throws Problem if the caller is refused; DatabaseError
 */
export async function admit(
  request: FastifyRequest,
  { database, world }: Pick<Platform, "database" | "world">,
): Promise<string | undefined> {
  const { config } = request.routeOptions;
  const { role, isPage = false, isLinked = false, ofBrowser, forPrograms, asMarkdown } = config;
  if (role === undefined || (role === "anyone" && !isPage)) return undefined;
  if (forPrograms !== undefined && wantsJson(request)) {
    // Not every page is about one project. The caller's key or token determines it.
    const isOfOwn = forPrograms.includes(ownProject);
    const own = isOfOwn ? callerFor(await identify(database, request), request).project : "";
    return filled(forPrograms.replace(ownProject, encodeURIComponent(own)), request);
  }
  if (asMarkdown !== undefined && wantsMarkdown(request)) return filled(asMarkdown, request);
  if (isPage) checkPageRequest(request);
  const own = ofBrowser && (isPage || isOfOwnPage(request)) ? await ofBrowser(request) : undefined;
  if (isLinked && !own && request.headers.authorization === undefined && wantsPage(request))
    return signInFor(request);
  const identity = isPage ? own : (own ?? (await identify(database, request)));
  if (!identity) return role === "anyone" ? undefined : signInFor(request);
  identities.set(request, identity);
  const caller = isPage ? ownCaller(identity) : callerOn(request, role, identity);
  if (caller) callers.set(request, { ...caller, address: request.ip });
  if (role !== "anyone" && role !== "signed-in") {
    // People without a project can create one there.
    if (!caller) return "/projects";
    requireRole(caller, role);
  }
  await noteUseOf(database, identity, world.now());
  return undefined;
}

/** The caller and their project on a route that is not a page. @throws Problem if they are not a member */
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

/** Stands for the project of the caller in the pattern of a path. */
const ownProject = ":own";

/** A pattern of a path, with the parameters of a request, and with its query if the pattern ends with `?`. */
function filled(pattern: string, { params, url }: FastifyRequest): string {
  const given = params as Readonly<Record<string, string>>;
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(given[name] ?? ""));
  if (!path.endsWith("?")) return path;
  // A form sends its empty fields too, which operations refuse.
  const query = [...queryFieldsOf(url)].filter(([, value]) => value !== "");
  return query.length === 0 ? path.slice(0, -1) : path + String(new URLSearchParams(query));
}

/** The sign-in page, which leads back to a page: from a form or a file, to the page that it is on. */
function signInFor(request: FastifyRequest): string {
  const { method, url, routeOptions } = request;
  const isForm = method === "POST";
  const next = isForm || routeOptions.config.isLinked ? pageBefore(request) : url;
  if (next === undefined) return "/sign-in";
  return `/sign-in?next=${encodeURIComponent(next)}${isForm ? "&unsaved=1" : ""}`;
}

/** The caller's identity, if known. It is never known on a route that is open to anyone and not a page. */
export function peekIdentity(request: FastifyRequest): Identity | undefined {
  return identities.get(request);
}

/** The caller with their project, if known. */
export function peekCaller(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

/** The caller with their project, on a route that requires a role. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller)
    throw new InternalError(`${request.method} ${request.url} requires no role, so its caller is unknown`);
  return caller;
}

/** The caller's identity, on a route that is not open to anyone. */
export function identityOf(request: FastifyRequest): Identity {
  const identity = identities.get(request);
  if (!identity)
    throw new InternalError(`${request.method} ${request.url} is open to anyone, so its caller is unknown`);
  return identity;
}

/** Records that a key, a token or a session was used, at most once a minute. @throws DatabaseError */
export async function noteUseOf(database: Database, identity: Identity, now: number): Promise<void> {
  const { session } = identity;
  const used = identity.kind === "key" ? (session ?? identity.key) : identity.session;
  if (now - (used.lastUsedAt?.getTime() ?? 0) <= usesApart) return;
  if (session) await noteSessionUse(database, session.id);
  else await noteUse(database, used.id);
}

/**
 * Checks a request to a page before its caller is identified. Forms must come from a page of this server (CSRF). URLs
 * must not contain a zero byte, because no database can store one.
 * @throws Problem
 */
function checkPageRequest(request: FastifyRequest): void {
  if (/^[^?]*%00/.test(request.url)) throw new Problem("bad-request", "The address contains a zero byte.");
  if (request.method === "POST" && !isFromHere(request))
    throw new Problem("forbidden", "The form was not submitted from a page of this server.");
}

function isFromHere({ headers }: FastifyRequest): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin, host } = headers;
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}

/**
 * Whether a browser session is valid for a route that is not a page. A key in the request takes precedence. Reading is
 * allowed: it changes nothing, and foreign pages cannot read the answer. Everything else must come from a page of this
 * server, not from a foreign page that a signed-in browser has opened. The request must therefore send JSON, which
 * foreign pages cannot send without a preflight, and the browser must confirm the origin.
 */
function isOfOwnPage({ method, headers, host }: FastifyRequest): boolean {
  if (headers.authorization !== undefined) return false;
  if (method === "GET" || method === "HEAD") return true;
  if (!/^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "")) return false;
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) return site === "same-origin";
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
}
