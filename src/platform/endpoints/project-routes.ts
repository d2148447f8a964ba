import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { wantsPage } from "../http/accepts.js";
import { goneOf } from "../http/limits/gone-of.js";
import { callerOf } from "../http/roles.js";
import { callerFor, requireRole } from "../people/access.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { type Endpoint, findEndpoint } from "../subgraphs/endpoints.js";
import { pageOf } from "../subgraphs/page-of.js";
import { beginningOf } from "./beginning.js";
import { isAddress } from "./names.js";
import { askedQuery } from "./query-desk.js";
import { anyone, type EndpointScope } from "./scope.js";
import { bodyOf, cacheStatus, everyOrigin, projectCors, sendAnswer } from "./send-answer.js";

interface Address {
  readonly project: string;
  readonly name: string;
  readonly version: string;
}

type Access = "public" | "private";

/** Adds the public and private addresses of versions and tags in their projects. Private ones require a key. */
export function addProjectRoutes(app: FastifyInstance, platform: Platform, scope: EndpointScope): void {
  const find = async (address: Address): Promise<Endpoint | undefined> => {
    if (!isAddress(address)) return undefined;
    return scope.reads.read(versionKey(address), () => findEndpoint(platform.database, address));
  };
  /**
   * Whether the user may see more of a project than its public endpoints. @throws Problem when the project is not
   * theirs
   */
  const mayLook = async (request: FastifyRequest<{ Params: Address }>): Promise<boolean> => {
    if (!scope.ofBrowser) return true;
    const identity = await scope.ofBrowser(request);
    if (!identity) return false;
    requireRole(callerFor(identity, request, request.params.project), "Viewer");
    return true;
  };
  for (const access of ["public", "private"] as const) {
    const path = `/api/${access}/:project/subgraphs/:name/:version/gn`;
    const isPublic = access === "public";
    app.post<{ Params: Address }>(
      path,
      isPublic ? { config: anyone, onRequest: scope.count } : { config: forMembers(scope) },
      async (request, reply) => {
        const { params } = request;
        if (!isPublic && callerOf(request).project !== params.project) {
          throw new Problem("forbidden", "The key belongs to another project.");
        }
        const payer = isPublic ? scope.payerOf(request) : scope.memberAsPayer(request);
        const asked = askedQuery(bodyOf(request), payer, goneOf(request));
        const answer = () =>
          scope.desk.answer(asked, `${access} ${versionKey(params)}`, async () =>
            opened(await find(params), access),
          );
        const answered = await (isPublic ? scope.inTurn(request, answer) : answer());
        if (!answered) throw notOpen(access, params);
        return sendAnswer(reply.header("cache-status", cacheStatus(answered)), answered, projectCors);
      },
    );
    app.get<{ Params: Address }>(path, { config: anyone }, async (request, reply) => {
      const { params } = request;
      const { accept = "" } = request.headers;
      if (/\btext\/event-stream\b/i.test(accept)) return refuseSubscription(reply);
      if (!wantsPage(request)) return refuseGet(reply);
      if (!isPublic && !(await mayLook(request))) {
        return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303);
      }
      // When only keys are accepted, the page reveals nothing until the user enters a key.
      const isShown = isPublic || scope.ofBrowser !== undefined;
      const shown = isShown ? opened(await find(params), access) : undefined;
      if (isShown && !shown) throw notOpen(access, params);
      const path = pageOf(params);
      return scope.page.send(reply, `${params.name}/${params.version}`, {
        ...(await beginningOf(shown, platform)),
        ...(scope.ofBrowser && { back: { path, tabs: scope.tabsOf(path) } }),
      });
    });
    app.options(path, { config: anyone }, async (_, reply) => reply.headers(projectCors).status(204).send());
  }
}

/** Admits members of the project, with a key or signed in with a browser. */
export function forMembers({ ofBrowser }: EndpointScope): FastifyContextConfig {
  return { role: "Viewer", isOfNamed: true, ...(ofBrowser && { ofBrowser }) };
}

function versionKey({ project, name, version }: Address): string {
  return `version ${project} ${name} ${version}`;
}

/** @returns undefined when this kind of access is off */
function opened(endpoint: Endpoint | undefined, access: Access): Endpoint | undefined {
  const isOpen = access === "public" ? endpoint?.hasPublicEndpoint : endpoint?.hasPrivateEndpoint;
  return isOpen ? endpoint : undefined;
}

function notOpen(access: Access, { name, version }: Address): Problem {
  return new Problem(
    "subgraph-not-found",
    `${JSON.stringify(`${name}/${version}`)} has no ${access} endpoint: the version or tag does not exist, or its ${access} endpoint is off.`,
  );
}

/** Refuses in the form that subscription clients understand (GraphQL over SSE). */
function refuseSubscription(reply: FastifyReply): FastifyReply {
  const refusal = JSON.stringify({ errors: [{ message: "Subscriptions are not supported." }] });
  return reply
    .headers(everyOrigin)
    .header("cache-control", "no-store")
    .type("text/event-stream")
    .send(`event: next\ndata: ${refusal}\n\nevent: complete\ndata:\n\n`);
}

function refuseGet(reply: FastifyReply): never {
  reply.headers({ ...everyOrigin, allow: "GET, OPTIONS, POST" });
  throw new Problem("method-not-allowed", "Send queries with POST. Browsers get a page for writing queries.");
}
