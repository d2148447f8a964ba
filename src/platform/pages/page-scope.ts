import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { problemOf } from "../http/app.js";
import { type Caller, requireRole } from "../people/access.js";
import type { Role } from "../people/api-keys.js";
import { findOwner } from "../people/first-project.js";
import type { Platform } from "../platform.js";
import { Problem, problemTypes } from "../problem.js";
import type { Draft } from "./draft.js";
import { type Html, html } from "./html.js";
import type { Page } from "./layout.js";
import { NotHere } from "./not-here.js";
import { sendPage } from "./send-page.js";
import { isFromHere, isHere, type Visitor, visitorOf, visitorOfKey } from "./session.js";

/** How people come to the pages. */
export interface PageOptions {
  /** Whether everybody on this machine is taken for an owner of the first project; by default people sign in. */
  readonly isOpen?: boolean;
  /** The configuration that is being written, where pages show that. */
  readonly draft?: Draft;
}

/** What a page is made for: who looks, and what they have sent. */
export interface Visit extends AnyVisit {
  readonly caller: Caller;
  readonly visitor: Visitor;
}

/** What a page is made for that needs no project: who looks, if anybody is signed in. */
export interface AnyVisit {
  readonly visitor?: Visitor;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The fields of the address's path. */
  readonly path: Readonly<Record<string, string>>;
  /** The fields of the address's query. */
  readonly query: URLSearchParams;
  /** The fields of a form that was sent. */
  readonly form: URLSearchParams;
}

/** A page, of which is not said who looks at it. */
export type Content = Omit<Page, "visitor">;

/** Where pages are added to a server. */
export interface PageScope {
  /** Who asks; nothing when nobody is signed in, or who is in no project. @throws DatabaseError */
  callerOf(request: FastifyRequest): Promise<Caller | undefined>;
  /** A page for those who have a role in a project, or an address where to go instead. */
  get(address: string, role: Role, make: (visit: Visit) => Promise<string | Content>): void;
  /** A form that does something and then leads to an address. */
  post(address: string, role: Role, perform: (visit: Visit) => Promise<string | Content>): void;
  /** A page for whoever comes, or an address where to go instead. */
  open(address: string, make: (visit: AnyVisit) => Promise<string | Content>): void;
  /** The same for a form. */
  openPost(address: string, perform: (visit: AnyVisit) => Promise<string | Content>): void;
}

/** Pages judge by themselves who may see them: people come with a cookie, not with a key. */
export const forAnyone = { config: { role: "anyone", isPage: true } } as const;

/** Prepares a scope of a server for pages: forms are read, refusals are pages, nothing is loaded from elsewhere. */
export function createPageScope(
  app: FastifyInstance,
  platform: Platform,
  { isOpen = false }: PageOptions,
): PageScope {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  // No database has a text with a zero byte, so that nothing can have such an address.
  app.addHook("onRequest", async ({ url }) => {
    if (/^[^?]*%00/.test(url)) throw new Problem("bad-request", "The address holds a zero byte.");
  });
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const problem = problemOf(error);
    if (problem.status >= 500) request.log.error(error);
    const { title, status } = problemTypes[problem.type];
    const instead = problem instanceof NotHere && problem.instead.length > 0 && listOf(problem.instead);
    const body = html`<p>${problem.message}</p>${instead}<p><a href="/">To the subgraphs</a></p>`;
    if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
    // What is wrong may be the database itself.
    const visitor = await visitorFor(request).catch(() => undefined);
    return sendPage(reply.status(status), { title, body, visitor });
  });
  // Everything else that browsers come to; programs are told in their own words.
  app.get("/*", forAnyone, async (request, reply) => {
    if (!/\btext\/html\b/i.test(request.headers.accept ?? "")) return reply.callNotFound();
    throw new Problem("not-found", "There is no page at this address.");
  });

  const visitorFor = async (request: FastifyRequest): Promise<Visitor | undefined> => {
    if (!isOpen || !isHere(request)) return visitorOf(request, platform);
    const owner = await findOwner(platform.database);
    return owner && visitorOfKey(platform.database, owner);
  };
  const visitOf = async (request: FastifyRequest, reply: FastifyReply): Promise<AnyVisit> => {
    const query = new URLSearchParams(request.url.split("?")[1] ?? "");
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    for (const text of [...query.values(), ...form.values()]) {
      if (text.includes("\0")) throw new Problem("bad-request", "What was sent holds a zero byte.");
    }
    const visitor = await visitorFor(request);
    return {
      ...(visitor && { visitor }),
      request,
      reply,
      path: request.params as Record<string, string>,
      query,
      form,
    };
  };
  const answer = ({ reply, visitor }: AnyVisit, made: string | Content) =>
    typeof made === "string" ? reply.redirect(made, 303) : sendPage(reply, { ...made, visitor });
  const admitted = (visit: AnyVisit, role: Role): Visit | undefined => {
    const { visitor } = visit;
    if (!visitor?.caller) return undefined;
    requireRole(visitor.caller, role);
    return { ...visit, visitor, caller: visitor.caller };
  };
  /** Those who are in no project can make one. */
  const elsewhere = ({ visitor, request }: AnyVisit): string =>
    visitor ? "/projects" : `/sign-in?next=${encodeURIComponent(request.url)}`;
  const refuseForeign = (request: FastifyRequest): void => {
    if (!isFromHere(request))
      throw new Problem("forbidden", "The form was not sent from a page of this server.");
  };
  return {
    callerOf: async (request) => (await visitorFor(request))?.caller,
    get(address, role, make) {
      app.get(address, forAnyone, async (request, reply) => {
        const any = await visitOf(request, reply);
        const visit = admitted(any, role);
        return visit ? answer(visit, await make(visit)) : reply.redirect(elsewhere(any), 303);
      });
    },
    post(address, role, perform) {
      app.post(address, forAnyone, async (request, reply) => {
        refuseForeign(request);
        const any = await visitOf(request, reply);
        const visit = admitted(any, role);
        if (visit) return answer(visit, await perform(visit));
        return reply.redirect(any.visitor ? "/projects" : "/sign-in", 303);
      });
    },
    open(address, make) {
      app.get(address, forAnyone, async (request, reply) => {
        const visit = await visitOf(request, reply);
        return answer(visit, await make(visit));
      });
    },
    openPost(address, perform) {
      app.post(address, forAnyone, async (request, reply) => {
        refuseForeign(request);
        const visit = await visitOf(request, reply);
        return answer(visit, await perform(visit));
      });
    },
  };
}

function listOf(instead: NotHere["instead"]): Html {
  const links = instead.map(([text, address]) => html`<li><a href="${address}">${text}</a></li>`);
  return html`<ul data-instead>${links}</ul>`;
}
