import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Role } from "../catalog/api-keys.js";
import { findOwner } from "../catalog/first-project.js";
import { type Caller, callerOfKey, requireRole } from "../http/access.js";
import { Problem, problemTypes } from "../http/problem.js";
import type { Platform } from "../platform.js";
import { html } from "./html.js";
import { documentOf, type Page } from "./layout.js";
import { isFromHere, signedIn } from "./session.js";

/** How people come to the pages. */
export interface PageOptions {
  /** Whether everybody on this machine is taken for an owner of the first project; by default people sign in. */
  readonly isOpen?: boolean;
}

/** What a page is made for: who looks, and what they have sent. */
export interface Visit {
  readonly caller: Caller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The fields of the address's path. */
  readonly path: Readonly<Record<string, string>>;
  /** The fields of the address's query. */
  readonly query: URLSearchParams;
  /** The fields of a form that was sent. */
  readonly form: URLSearchParams;
}

/** Where pages are added to a server. */
export interface PageScope {
  /** Who asks; nothing when nobody is signed in. @throws DatabaseError */
  callerOf(request: FastifyRequest): Promise<Caller | undefined>;
  /** A page for those who are signed in. */
  get(address: string, role: Role, make: (visit: Visit) => Promise<Omit<Page, "isSignedIn">>): void;
  /** A form that does something and then leads to an address. */
  post(
    address: string,
    role: Role,
    perform: (visit: Visit) => Promise<string | Omit<Page, "isSignedIn">>,
  ): void;
}

/** Pages judge by themselves who may see them: people come with a cookie, not with a key. */
export const forAnyone = { config: { role: "anyone" } } as const;

const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** Prepares a scope of a server for pages: forms are read, refusals are pages, nothing is loaded from elsewhere. */
export function createPageScope(
  app: FastifyInstance,
  platform: Platform,
  { isOpen = false }: PageOptions,
): PageScope {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  app.setErrorHandler((error: unknown, request, reply) => {
    const problem =
      error instanceof Problem
        ? error
        : new Problem("internal", "Something went wrong in the server; its log says what.");
    if (!(error instanceof Problem)) request.log.error(error);
    const { title, status } = problemTypes[problem.type];
    const body = html`<p>${problem.message}</p><p><a href="/">To the subgraphs</a></p>`;
    return sendPage(reply.status(status), { title, body, isSignedIn: false });
  });

  const callerOf = async (request: FastifyRequest): Promise<Caller | undefined> => {
    if (!isOpen || !isHere(request)) return signedIn(request, platform);
    const owner = await findOwner(platform.database);
    return owner && callerOfKey(owner);
  };
  const visitOf = async (
    request: FastifyRequest,
    reply: FastifyReply,
    role: Role,
  ): Promise<Visit | undefined> => {
    const caller = await callerOf(request);
    if (!caller) return undefined;
    requireRole(caller, role);
    return {
      caller,
      request,
      reply,
      path: request.params as Record<string, string>,
      query: new URLSearchParams(request.url.split("?")[1] ?? ""),
      form: request.body instanceof URLSearchParams ? request.body : new URLSearchParams(),
    };
  };
  return {
    callerOf,
    get(address, role, make) {
      app.get(address, forAnyone, async (request, reply) => {
        const visit = await visitOf(request, reply, role);
        if (!visit) return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303);
        return sendPage(reply, { ...(await make(visit)), isSignedIn: true });
      });
    },
    post(address, role, perform) {
      app.post(address, forAnyone, async (request, reply) => {
        if (!isFromHere(request))
          throw new Problem("forbidden", "The form was not sent from a page of this server.");
        const visit = await visitOf(request, reply, role);
        if (!visit) return reply.redirect("/sign-in", 303);
        const then = await perform(visit);
        return typeof then === "string"
          ? reply.redirect(then, 303)
          : sendPage(reply, { ...then, isSignedIn: true });
      });
    },
  };
}

/** Answers with a page that is kept nowhere. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply
    .headers({
      "content-security-policy": policy,
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    .type("text/html; charset=utf-8")
    .send(documentOf(page));
}

/** Whether a browser asked for this machine by its own name: others may have had a foreign name lead here. */
function isHere({ headers }: FastifyRequest): boolean {
  const name = (headers.host ?? "").replace(/:\d+$/, "");
  return name === "localhost" || name === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(name);
}
