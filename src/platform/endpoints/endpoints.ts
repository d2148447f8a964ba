import { Gate } from "../gate.js";
import type { Routes } from "../http/app.js";
import { callerOf } from "../http/roles.js";
import { clientOf, RateLimiter } from "../rate-limiter.js";
import { addGraphNodeRoutes } from "./graph-node-routes.js";
import { defaultOptions, pgliteOptions, type QueryEndpointOptions } from "./options.js";
import { addProjectRoutes } from "./project-routes.js";
import { QueryDesk } from "./query-desk.js";
import { QueryPage } from "./query-page.js";
import type { EndpointScope } from "./scope.js";
import { everyOrigin } from "./send-answer.js";
import { SharedRead } from "./shared-read.js";
import { addStatusRoutes } from "./status/status-routes.js";
import { unboundPayer, WorkBudget } from "./work-budget.js";

/** The routes that answer queries. @param changed options that differ from the defaults */
export function endpoints(changed: Partial<QueryEndpointOptions> = {}): Routes {
  return (app, platform) => {
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
    const scope: EndpointScope = {
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
    // Every body is read as text, whatever its content type.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "string" }, (_, body, done) => done(null, body));
    // Refusals carry these headers too.
    app.addHook("onSend", async (_, reply) => void reply.headers(everyOrigin));
    scope.page.addTo(app);
    addProjectRoutes(app, platform, scope);
    addGraphNodeRoutes(app, platform, scope);
    addStatusRoutes(app, platform, scope);
  };
}
