import type { FastifyInstance } from "fastify";
import { Gate } from "../gate.js";
import { acceptTexts } from "../http/accept-texts.js";
import type { Routes } from "../http/app.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { clientOf, RateLimiter } from "../rate-limiter.js";
import { addGraphNodeRoutes } from "./graph-node-routes.js";
import { defaultOptions, pgliteOptions, type QueryEndpointOptions } from "./options.js";
import { addProjectRoutes, forMembers } from "./project-routes.js";
import { ProjectView } from "./project-view.js";
import { PublicView } from "./public-view.js";
import { QueryDesk } from "./query-desk.js";
import { QueryPage } from "./query-page.js";
import type { EndpointScope } from "./scope.js";
import { everyOrigin } from "./send-answer.js";
import { SharedRead } from "./shared-read.js";
import { addStatusRoutes } from "./status/status-routes.js";
import { unboundPayer, WorkBudget } from "./work-budget.js";

/** The routes that answer queries. @param changed options that differ from the defaults */
export function endpoints(changed: Partial<QueryEndpointOptions> = {}): Routes {
  return (app, platform) => endpointRoutes(createEndpointScope(platform, changed))(app, platform);
}

/** The routes that answer queries, with limits and caches that others may share. */
export function endpointRoutes(scope: EndpointScope): Routes {
  return (app, platform) => {
    const ofPublic = (): PublicView => new PublicView(platform.database);
    acceptQueries(app);
    scope.page.addTo(app);
    addProjectRoutes(app, platform, scope);
    addGraphNodeRoutes(app, platform, scope, ofPublic);
    const statusPath = "/index-node/graphql";
    addStatusRoutes(app, platform, scope, { path: statusPath, page: statusPath, viewOf: ofPublic });
    addStatusRoutes(app, platform, scope, {
      path: "/api/private/:project/index-node/graphql",
      members: forMembers(scope),
      viewOf: (request) => {
        const { project } = callerOf(request);
        const { project: named } = request.params as { readonly project: string };
        if (project !== named) throw new Problem("forbidden", "The key belongs to another project.");
        return new ProjectView(platform.database, project);
      },
    });
  };
}

/** Prepares a scope for routes that answer queries. */
export function acceptQueries(app: FastifyInstance): void {
  acceptTexts(app);
  // Refusals carry these headers too.
  app.addHook("onSend", async (_, reply) => void reply.headers(everyOrigin));
}

/** The limits and caches of the routes that answer queries. @param changed options that differ from the defaults */
export function createEndpointScope(
  platform: Platform,
  changed: Partial<QueryEndpointOptions> = {},
): EndpointScope {
  const isServer = platform.database.provider === "postgres";
  const options = { ...defaultOptions, ...(!isServer && pgliteOptions), ...changed };
  const limiter = options.publicRate && new RateLimiter(options.publicRate, () => platform.world.now());
  const { workShare } = options;
  const work = workShare === null ? undefined : new WorkBudget(workShare, () => platform.world.now());
  const clients = new Gate({
    running: options.runningOfClient,
    waiting: options.waiting,
    refusal: "Too many of your queries are already waiting. Wait for their answers.",
  });
  const { ofBrowser, tabsOf = () => [] } = options;
  return {
    desk: new QueryDesk(platform, { ...options, startsEarly: isServer }),
    reads: new SharedRead(),
    page: new QueryPage(),
    tabsOf,
    ofBrowser: ofBrowser && ((request) => ofBrowser(request, platform)),
    inTurn: ({ ip }, work) => (limiter ? clients.run(clientOf(ip), work) : work()),
    count: async ({ ip }) => limiter?.count(ip),
    payerOf: ({ ip }) => work?.of(`address ${clientOf(ip)}`) ?? unboundPayer,
    memberAsPayer: (request) => {
      const { kind, id } = callerOf(request);
      return work?.of(`${kind} ${id}`) ?? unboundPayer;
    },
  };
}
