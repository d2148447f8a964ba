import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { present } from "../../base/invariant.js";
import type { ManualPage } from "../../base/manual.js";
import { isRecord } from "../../base/text/json-value.js";
import type { Sql } from "../../store/database/database.js";
import type { RecentNodeCounts } from "../figures/node-counts.js";
import type { RecentFigures } from "../figures/recorder.js";
import { wantsJson, wantsPage } from "../http/accepts.js";
import { problemOf, sendProblem } from "../http/app.js";
import { policyOf } from "../http/frame.js";
import { type Html, html } from "../http/html.js";
import { pageBefore } from "../http/page-before.js";
import { queryFieldsOf } from "../http/query-of-url.js";
import { type Admission, admit, callerOf, type IdentifyBrowser } from "../http/roles.js";
import type { Caller } from "../people/access.js";
import type { Role } from "../people/api-keys.js";
import type { Platform } from "../platform.js";
import { Problem, problemTypes } from "../problem.js";
import type { Draft } from "./draft.js";
import { markdownFiles, programAddress } from "./for-programs.js";
import type { RefusedForm } from "./form-state.js";
import type { PageLayout } from "./layout.js";
import { documentOf } from "./layout.js";
import { LivePages, mostShown, type Render } from "./live/live-pages.js";
import { PagePatterns } from "./live/page-patterns.js";
import { NotHere } from "./not-here.js";
import { identifyBrowser } from "./sign-in/identify-browser.js";
import { type Visitor, visitorOf } from "./sign-in/session.js";

export interface PageOptions {
  /** Whether to treat every user of this machine as an Owner of the first project. By default, people sign in. */
  readonly isOpen?: boolean;
  /** The configuration under development, if the pages show one. */
  readonly draft?: Draft;
  /** The measurements of deployments in the last hour. Without it, overviews have no charts. */
  readonly figures?: RecentFigures;
  /** The requests to nodes in the last hour. Without it, the page of nodes has no numbers. */
  readonly nodeCounts?: RecentNodeCounts;
  /** The pages of the documentation; none by default. */
  readonly manual?: readonly ManualPage[];
}

/** A visit of a page that belongs to a project: the visitor and the request. */
export interface Visit extends SignedInVisit {
  readonly caller: Caller;
}

/** A visit of a page that requires a sign-in, but no project. */
export interface SignedInVisit extends AnyVisit {
  readonly visitor: Visitor;
}

/** A visit of a page that requires no sign-in. */
export interface AnyVisit {
  readonly visitor?: Visitor;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The parameters in the path. */
  readonly path: Readonly<Record<string, string>>;
  /** The parameters in the query string. */
  readonly query: URLSearchParams;
  /** The fields of a submitted form. */
  readonly form: URLSearchParams;
}

/** A page without its visitor. */
export type Content = Omit<PageLayout, "visitor">;

/** A page, or the address to redirect to. */
type Made = Promise<string | Content>;

/** Makes a form again after it was refused; `undefined` if only an error page fits. */
export type FormAgain = (
  visit: Visit,
  refused: RefusedForm,
) => Promise<Content | undefined> | Content | undefined;

/** Adds pages to a server, and forms that perform an action and then redirect. */
export interface PageScope {
  /** Identifies the visitor, for the routes that pages load. */
  readonly ofBrowser: IdentifyBrowser;
  /** Adds a page that requires a role in the project. */
  get(address: string, role: Role, make: (visit: Visit) => Made): void;
  /** @param again makes the form again when it is refused, with the user's input and its errors */
  post(address: string, role: Role, perform: (visit: Visit) => Made, again?: FormAgain): void;
  /** Adds a page that requires a sign-in, but no project. */
  signedIn(address: string, make: (visit: SignedInVisit) => Made): void;
  signedInPost(address: string, perform: (visit: SignedInVisit) => Made): void;
  /** Adds a page for everybody. */
  open(address: string, make: (visit: AnyVisit) => Made): void;
  openPost(address: string, perform: (visit: AnyVisit) => Made): void;
}

/** Makes a page for a request; an address to go to instead. */
type RenderFor = (request: FastifyRequest, reply: FastifyReply) => Promise<string | PageLayout>;

/** A page as its route describes it. */
interface LivePattern {
  readonly url: string;
  readonly config: FastifyContextConfig;
  readonly render: RenderFor;
}

/** Prepares a scope of a server for pages: it parses forms, and shows errors as pages. */
export function createPageScope(app: FastifyInstance, platform: Platform, options: PageOptions): PageScope {
  const identify = identifyBrowser(options);
  const ofBrowser: IdentifyBrowser = (request) => identify(request, platform);
  const { database } = platform;
  const live = new LivePages(app, platform.world);
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_, body, done) =>
    done(null, new URLSearchParams(String(body))),
  );
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const problem = problemOf(error);
    if (problem.status >= 500) request.log.error(error);
    const isProgram = request.routeOptions.config.isLinked ? !wantsPage(request) : wantsJson(request);
    if (isProgram) return sendProblem(problem, request, reply, platform);
    const { title, status } = problemTypes[problem.type];
    const instead = problem instanceof NotHere && problem.instead.length > 0 && listOf(problem.instead);
    const before = pageBefore(request);
    const back =
      before === undefined
        ? html`<a href="/">Back to the subgraphs</a>`
        : html`<a href="${before}">Back to the previous page</a>`;
    const body = html`<p>${problem.message}</p>${instead}<p>${back}</p>`;
    if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
    // The database itself may be the cause of the error.
    const visitor = await visitorOf(request, database).catch(() => undefined);
    return sendPage(reply.status(status), { title, body, visitor });
  });

  const patterns = new PagePatterns<LivePattern>();
  const renderAgain =
    (request: FastifyRequest, reply: FastifyReply, render: RenderFor): Render =>
    async () => {
      if ((await admit(request, platform)) !== undefined) return undefined;
      const page = await render(request, reply);
      return typeof page === "string" ? undefined : page;
    };
  const renderAt = (request: FastifyRequest, reply: FastifyReply, address: string): Render => {
    const found = patterns.find(address.split("?")[0] ?? "");
    if (!found) return async () => undefined;
    const { url, config, render } = found.page;
    // Everything else of the request, such as its cookies, is the same for all pages of a browser.
    const own: FastifyRequest = Object.create(request, {
      method: { value: "GET" },
      url: { value: address },
      params: { value: found.params },
      body: { value: undefined },
      routeOptions: { value: { ...request.routeOptions, url, config } },
    });
    return renderAgain(own, reply, render);
  };
  const add = (
    method: "GET" | "POST",
    url: string,
    role: Admission,
    make: (visit: AnyVisit) => Made,
    again?: FormAgain,
  ): void => {
    const asMarkdown = method === "GET" ? markdownFiles[url] : undefined;
    const config = {
      role,
      isPage: true,
      ofBrowser,
      ...(method === "GET" && { forPrograms: programAddress(url) }),
      ...(asMarkdown !== undefined && { asMarkdown }),
    };
    const render: RenderFor = async (request, reply) => {
      const visit = await visitOf(request, reply, database);
      const made = await make(visit).catch(async (error: unknown) => {
        const problem = problemOf(error);
        // The answer to a refusal for now says when to try again.
        const isFinal = problem.status < 500 && problem.retryAfter === undefined;
        const refused = { typed: visit.form, problem };
        const form = isFinal ? await again?.(inProject(visit), refused) : undefined;
        if (!form) throw error;
        reply.status(problem.status);
        return form;
      });
      return typeof made === "string" ? made : { ...made, visitor: visit.visitor };
    };
    app.route({
      method,
      url,
      config,
      handler: async (request, reply) => {
        const page = await render(request, reply);
        if (typeof page === "string") return reply.redirect(page, 303);
        if (!page.isLive || !LivePages.isAsked(request)) return sendPage(reply, page);
        return live.follow(request, reply, page, renderAgain(request, reply, render));
      },
    });
    if (method === "GET") patterns.add(url, { url, config, render });
  };
  app.post("/live", { config: { role: "signed-in", ofBrowser } }, async (request, reply) => {
    const { browser, pages } = shownPages(request.body);
    const shown = pages.map(({ id, address, tag }) => ({
      id,
      tag,
      render: renderAt(request, reply, address),
    }));
    return live.followAll(request, reply, browser, shown);
  });
  // Any other address. Browsers get a page, and programs get a problem document.
  app.get("/*", { config: { role: "anyone", isPage: true, ofBrowser } }, async (request, reply) => {
    if (!wantsPage(request)) return reply.callNotFound();
    throw new Problem("not-found", "There is no page at this address.");
  });
  return {
    ofBrowser,
    get: (address, role, make) => add("GET", address, role, (visit) => make(inProject(visit))),
    post: (address, role, perform, again) =>
      add("POST", address, role, async (visit) => perform(inProject(visit)), again),
    signedIn: (address, make) => add("GET", address, "signed-in", (visit) => make(signedIn(visit))),
    signedInPost: (address, perform) =>
      add("POST", address, "signed-in", (visit) => perform(signedIn(visit))),
    open: (address, make) => add("GET", address, "anyone", make),
    openPost: (address, perform) => add("POST", address, "anyone", perform),
  };
}

/** The pages that a browser shows, and its name. @throws Problem */
function shownPages(body: unknown): {
  readonly browser: string;
  readonly pages: readonly { readonly id: string; readonly address: string; readonly tag: string }[];
} {
  const isText = (value: unknown): value is string => typeof value === "string" && value.length <= 4_000;
  const { browser, pages } = isRecord(body) ? body : {};
  const given = Array.isArray(pages) ? pages : [];
  const found = given.flatMap((page: unknown) =>
    isRecord(page) && isText(page.id) && isText(page.address) && isText(page.tag)
      ? [{ id: page.id, address: page.address, tag: page.tag }]
      : [],
  );
  if (!isText(browser) || !Array.isArray(pages) || found.length !== pages.length || found.length > mostShown)
    throw new Problem(
      "bad-request",
      `The body has a name for the browser, and at most ${mostShown} pages, each with an id, an address and a tag.`,
    );
  return { browser, pages: found };
}

/** The parameters in the address of a request. */
export function queryOf({ url }: Pick<FastifyRequest, "url">): URLSearchParams {
  return queryFieldsOf(url);
}

async function visitOf(request: FastifyRequest, reply: FastifyReply, sql: Sql): Promise<AnyVisit> {
  const query = queryOf(request);
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  const visitor = await visitorOf(request, sql);
  return {
    ...(visitor && { visitor }),
    request,
    reply,
    path: request.params as Record<string, string>,
    query,
    form,
  };
}

function signedIn(visit: AnyVisit): SignedInVisit {
  return { ...visit, visitor: present(visit.visitor, "the guard admits only visitors who are signed in") };
}

function inProject(visit: AnyVisit): Visit {
  return { ...signedIn(visit), caller: callerOf(visit.request) };
}

function listOf(instead: NotHere["instead"]): Html {
  const links = instead.map(([text, address]) => html`<li><a href="${address}">${text}</a></li>`);
  return html`<ul data-instead>${links}</ul>`;
}

/** Sends a page that must not be cached. A page that renews itself is compressed. */
async function sendPage(reply: FastifyReply, page: PageLayout): Promise<FastifyReply> {
  const text = documentOf(page, reply.request.url.split("?")[0] ?? "/");
  reply
    .headers({
      "content-security-policy": policyOf(page.formTarget),
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    .type("text/html; charset=utf-8");
  if (!page.isLive) return reply.send(text);
  reply.header("vary", "accept, accept-encoding");
  // Pages that renew themselves contain no secrets, which their compressed length could reveal.
  if (!/\bgzip\b/.test(String(reply.request.headers["accept-encoding"]))) return reply.send(text);
  return reply.header("content-encoding", "gzip").send(await promisify(gzip)(text));
}
